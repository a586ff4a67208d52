/* Source lines of code addresses, from DWARF line tables: the image's own or its debug file's.
 *
 * All tables are read once, into one sorted array of ranges; a look-up is a binary search. */
#pragma once

#include "base/memory.h"
#include "base/vec.h"
#include "wire/address.h"

#include <stdbool.h>
#include <stdint.h>

struct image;
struct symbols;

struct line_range {
    uint64_t start, end; /* svma */
    uint32_t file, line; /* index into files; line 0: the compiler says it belongs to none */
};

struct lines {
    struct arena arena;
    struct line_files {
        VEC(const char *);
    } files;
    struct line_ranges {
        VEC(struct line_range); /* by start, disjoint */
    } ranges;
};

/* A file without line tables, or with broken ones, gives what could be read. */
void lines_read(struct lines *lines, const struct image *image, const struct symbols *symbols);
void lines_release(struct lines *lines);

/* False: no line is known there. */
bool lines_find(const struct lines *lines, struct svma at, const char **ret_file,
                uint32_t *ret_line);
