/* The source of an address: function and line, with the inlined functions around it.
 *
 * Symbols name the real function; debug information names inlined functions and lines. What is not
 * known is NULL or 0. */
#pragma once

#include "program/dwarf/inlines.h"
#include "wire/address.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct binary;

struct source_frame {
    const char *linkage; /* name of the function as the linker sees it; NULL: not known */
    const char *file;    /* NULL: not known; one pointer for one file of a binary */
    uint32_t line;       /* 0: not known; of an outer frame: the line of the inlined call */
    uint32_t column, discriminator;
};

/* Innermost inlined function first, the real function last; at least one if the address is in code.
 * Returns their number; writes at most `room`. Strings live as long as the binary. */
size_t source_frames(struct binary *binary, struct svma at, struct source_frame *ret_frames,
                     size_t room);

/* A cache for one thread: names already read, and the last answer. Addresses in a row mostly lie in
 * one inlined call; then only the innermost line changes. */
struct source_memory {
    struct inline_names names;
    const struct inline_node *node;
    struct source_frame *frames;
    size_t n_frames;
    uint32_t function;
    bool repeated; /* only the line of the innermost frame differs from the last answer */
};
void source_memory_init(struct source_memory *memory);
void source_memory_release(struct source_memory *memory);

/* The same for several threads. Each has its own memory and always passes the same frames and room.
 * The binary must come from binary_open_whole. */
size_t source_frames_of(const struct binary *binary, struct source_memory *memory, struct svma at,
                        struct source_frame *ret_frames, size_t room);
