/* One ELF x86-64 file as it lies on disk: bytes, load segments, build-id.
 *
 * Everything is checked against the file's size when it is opened or asked for, so a truncated or
 * corrupted file gives an error or an empty answer, never a crash. "[vdso]" is this process's own
 * vDSO, copied: the kernel maps the same one into every process. */
#pragma once

#include "base/vec.h"
#include "wire/address.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct Elf;
struct err;

enum { BUILD_ID_MAX = 20 };

struct segment {
    struct svma start;
    struct foff offset;
    uint64_t file_bytes, memory_bytes;
    bool executable;
};

/* A whole file in memory, with libelf's view of its sections. */
struct elf_file {
    uint8_t *bytes; /* a private copy; nobody but libelf writes to it */
    size_t n_bytes;
    bool mapped; /* else owned memory */
    struct Elf *elf;
};

struct image {
    char *path;
    struct elf_file file;
    struct elf_file debug; /* separate debug file found by build-id; elf is NULL if there is none */
    struct segments {
        VEC(struct segment); /* PT_LOAD, by start */
    } segments;
    uint8_t build_id[BUILD_ID_MAX]; /* a longer one is cut */
    uint32_t build_id_bytes;        /* 0: none */
};

bool image_open(struct image *image, const char *path, struct err *err);
void image_close(struct image *image);

/* The bytes at an address, *ret_room of them in the same segment of the file; NULL if none. */
const uint8_t *image_bytes(const struct image *image, struct svma at, size_t *ret_room);
bool image_executable(const struct image *image, struct svma at);

/* False: no load segment has it in the file. */
bool image_to_svma(const struct image *image, struct foff offset, struct svma *ret_svma);
bool image_to_foff(const struct image *image, struct svma at, struct foff *ret_offset);
