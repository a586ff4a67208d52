/* What a profile keeps of a module besides functions: the headers of its file, and constants that
 * kept code refers to. FORMAT.md describes the bytes. */
#pragma once

#include "base/bytes.h"
#include "base/memory.h"
#include "program/elf/evidence.h"

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>

struct err;
struct image;
struct symbols;

struct kept_module {
    Elf64_Ehdr header; /* without sections; the program headers follow it */
    struct kept_programs {
        VEC(Elf64_Phdr); /* PT_LOAD */
    } programs;
    struct data_object relro;
    bool has_names, fs_discriminators;
    bool borrowed;       /* its symbols of data are those of a debug file */
    const char *lacking; /* "": nothing */
    struct kept_starts {
        VEC(uint64_t);
    } starts;
};

void kept_module_release(struct kept_module *module);
void kept_module_read(struct kept_module *module, const struct image *image,
                      const struct symbols *symbols);
void kept_module_encode(const struct kept_module *module, struct bytes *ret_bytes);
bool kept_module_decode(struct kept_module *module, struct arena *arena, const uint8_t *bytes,
                        size_t n, struct err *err);

/* Constants [start, end), with what the file says about them. */
struct kept_data {
    uint64_t start;
    const uint8_t *bytes;
    uint64_t n;
};
/* Returns where the constants stand in the bytes. */
size_t kept_data_encode(const struct kept_data *data, const struct evidence *evidence,
                        struct bytes *ret_bytes);
/* Adds to the evidence, in any order. */
bool kept_data_decode(struct kept_data *data, struct evidence *evidence, uint64_t start,
                      const uint8_t *bytes, size_t n, struct err *err);
