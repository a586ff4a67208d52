/* A module: image, functions and, when first asked for, lines and inlined functions. */
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
/* The same with symbols_build_within. */
bool binary_open_within(struct binary *binary, const char *path, size_t sweep_bytes,
                        struct err *err);
/* Reads everything at once, on all cores: for callers that need all of it. */
bool binary_open_whole(struct binary *binary, const char *path, struct err *err);
/* The same of an image that is open already, and that the binary takes over. */
void binary_open_image(struct binary *binary, struct image image);
void binary_close(struct binary *binary);

/* Read at the first call: they cost far more than symbols. */
const struct lines *binary_lines(struct binary *binary);
struct inlines *binary_inlines(struct binary *binary);

/* One line for people: what is missing (names, lines), where it was searched, how to get it. NULL:
 * nothing is missing. */
const char *binary_debug_missing(struct binary *binary);
/* The same without the places that were searched. */
const char *binary_debug_missing_brief(struct binary *binary);

/* False if some of the debug information read so far is broken; err says where. The intact part is
 * used anyway. */
bool binary_debug_whole(const struct binary *binary, struct err *err);
