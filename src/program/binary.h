/* A module with all that is known about it: image, functions and, when first asked for, lines. */
#pragma once

#include "program/image.h"
#include "program/lines.h"
#include "program/symbols.h"

struct err;

struct binary {
    struct image image;
    struct symbols symbols;
    struct lines lines; /* through binary_lines */
    bool has_lines;
};

bool binary_open(struct binary *binary, const char *path, struct err *err);
void binary_close(struct binary *binary);

/* Read at the first question: it costs far more than symbols do. */
const struct lines *binary_lines(struct binary *binary);

/* What is not known of this binary, where it was looked for, and what could be done about it: one
 * line for people. NULL: names and lines are there. */
const char *binary_debug_missing(struct binary *binary);
