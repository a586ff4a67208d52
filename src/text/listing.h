/* Lines of source files, read when first asked for. Unless it was taken along, the file is whatever
 * lies at the path today: debug information says where a file was, not what it held. */
#pragma once

#include "base/map.h"
#include "base/memory.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct listing_file {
    const char *path;  /* as asked for */
    bool there, newer; /* newer: changed after the binary was */
    struct listing_lines {
        VEC(const char *);
    } lines;
};

struct listing {
    struct arena arena;
    /* Texts of files that were taken along, which come first; NULL: there are none. */
    const char *(*kept)(const void *from, const char *path, size_t *ret_n);
    const void *from;
    int64_t built;   /* seconds; files changed later are newer. 0: not known */
    struct map keys; /* pointer of the path */
    struct listing_files {
        VEC(struct listing_file);
    } files; /* in order of first question */
};

void listing_begin(struct listing *listing);
void listing_end(struct listing *listing);

/* The line without its end, tabs and what could steer a terminal made spaces; NULL: no such file or
 * line. `path` must be the same pointer for the same file. */
const char *listing_line(struct listing *listing, const char *path, uint32_t line);

/* What is known of the file, which is read if it was not asked for before. */
const struct listing_file *listing_file_find(struct listing *listing, const char *path);

/* Names files that were not there, or that changed after the program was built. */
void listing_text(FILE *to, struct listing *listing);
