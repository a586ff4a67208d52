/* One ELF x86-64 file on disk: bytes, load segments, build-id.
 *
 * Every offset is checked against the file's size when it is used. A truncated or corrupted file
 * gives an error or an empty answer, never a crash. The path "[vdso]" means the kernel's vDSO. */
#pragma once

#include "base/memory.h"
#include "base/vec.h"
#include "program/elf/elf_file.h"
#include "wire/address.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct known;

struct segment {
    struct svma start;
    struct foff offset;
    uint64_t file_bytes, memory_bytes;
    bool executable, writable;
};

/* The search for a separate debug file; see debug_file.h. */
struct debug_search {
    struct arena arena;
    const char *path;    /* the file that was found; NULL: none */
    const char *refused; /* a file of another build, and why it was refused; NULL: none */
    const char *missing; /* the cached answer of debug_file_missing */
    struct looked {
        VEC(const char *); /* paths */
    } looked;
};

struct image {
    char *path;
    struct elf_file file;
    struct elf_file
        debug; /* separate debug file, by debug_file_find; elf is NULL if there is none */
    struct debug_search search;
    struct known *known; /* the file is not there: program/elf/known.h; NULL: it is */
    struct segments {
        VEC(struct segment); /* PT_LOAD, by start */
    } segments;
    uint8_t build_id[BUILD_ID_MAX]; /* a longer one is cut */
    uint32_t build_id_bytes;        /* 0: none */
};

bool image_open(struct image *image, const char *path, struct err *err);
/* The same of bytes in memory, which the image takes over: `mapped` by mmap, else by mem_alloc. */
bool image_open_memory(struct image *image, const char *path, struct elf_file file,
                       struct err *err);
void image_close(struct image *image);

/* The bytes at an address; *ret_room is how many follow in the same segment. NULL: none. */
const uint8_t *image_bytes(const struct image *image, struct svma at, size_t *ret_room);
/* Total size of the executable segments. */
uint64_t image_code_bytes(const struct image *image);
bool image_executable(const struct image *image, struct svma at);
/* Whether the address lies in a read-only segment: its bytes are the same in every run. */
bool image_constant(const struct image *image, struct svma at);
/* Where the program, or the loader, begins; 0: nowhere. */
struct svma image_entry(const struct image *image);

/* False: no load segment maps this part of the file. */
bool image_to_svma(const struct image *image, struct foff offset, struct svma *ret_svma);
bool image_to_foff(const struct image *image, struct svma at, struct foff *ret_offset);
