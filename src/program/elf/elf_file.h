/* A whole ELF file in memory, with libelf's view of its sections. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct Elf;
struct err;

struct elf_file {
    uint8_t *bytes; /* a private copy; nobody but libelf writes to it */
    size_t n_bytes;
    bool mapped; /* else owned memory */
    struct Elf *elf;
};

/* Maps the file. elf stays NULL: check the headers first, then call elf_file_begin. */
bool elf_file_map(struct elf_file *file, const char *path, struct err *err);
/* This process's own vDSO, copied: the kernel maps the same one into every process. */
bool elf_file_vdso(struct elf_file *file, struct err *err);
/* Takes a copy of bytes. */
void elf_file_copy(struct elf_file *file, const uint8_t *bytes, size_t n);
bool elf_file_begin(struct elf_file *file, struct err *err);
void elf_file_close(struct elf_file *file);

bool elf_file_inside(const struct elf_file *file, uint64_t offset, uint64_t bytes);

enum { BUILD_ID_MAX = 20 };
/* The build-id in the notes at this place of the file; 0: none. One longer than BUILD_ID_MAX is
 * cut. */
uint32_t elf_file_build_id(const struct elf_file *file, uint64_t offset, uint64_t bytes,
                           uint64_t align, uint8_t ret_id[BUILD_ID_MAX]);
