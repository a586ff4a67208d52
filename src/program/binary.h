/* A module with all that is known about it: image, functions and, when first asked for, lines and
 * inlined functions. */
#pragma once

#include "program/dwarf/debug_info.h"
#include "program/elf/image.h"
#include "program/dwarf/inlines.h"
#include "program/dwarf/lines.h"
#include "program/symbols/symbols.h"

struct err;

struct binary {
    struct image image;
    struct symbols symbols;
    struct debug_info *debug; /* NULL: not asked for yet; so lines and inlines */
    struct lines *lines;
    struct inlines *inlines;
    struct source_memory *memory; /* of the thread that asks source_frames */
};

bool binary_open(struct binary *binary, const char *path, struct err *err);
/* Reads everything at once, by all cores: for those who will ask for it all. */
bool binary_open_whole(struct binary *binary, const char *path, struct err *err);
void binary_close(struct binary *binary);

/* Read at the first question: they cost far more than symbols do. */
const struct lines *binary_lines(struct binary *binary);
struct inlines *binary_inlines(struct binary *binary);

/* What is not known of this binary, where it was looked for, and what could be done about it: one
 * line for people. NULL: names and lines are there. */
const char *binary_debug_missing(struct binary *binary);
/* The same without where it was looked for. */
const char *binary_debug_missing_brief(struct binary *binary);

/* What was wrong with debug information that has been read so far: false, and where. Everything
 * that was whole is there all the same. */
bool binary_debug_whole(const struct binary *binary, struct err *err);
