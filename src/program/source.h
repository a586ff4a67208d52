/* Where code comes from: the functions and lines that an address belongs to, inlined ones included.
 *
 * The name of the real function is the one that the symbols have; debug information names the
 * inlined ones, and lines. What is not known is NULL or 0. */
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
    uint32_t line;       /* 0: not known; of an outer frame: where the inner one was called */
    uint32_t column, discriminator;
};

/* Innermost inlined function first, the real function last: at least one if the address lies in
 * code. Returns how many there are; at most `room` of them are written. Strings live as long as the
 * binary. */
size_t source_frames(struct binary *binary, struct svma at, struct source_frame *ret_frames,
                     size_t room);

/* What one thread remembers between questions: names that it has read, and its last answer.
 * Addresses that follow each other mostly lie in the same inlined call: then only the innermost
 * line is new. */
struct source_memory {
    struct inline_names names;
    const struct inline_node *node;
    struct source_frame *frames;
    size_t n_frames;
    uint32_t function;
    bool repeated; /* all frames but the innermost one's line are those of the answer before */
};
void source_memory_init(struct source_memory *memory);
void source_memory_release(struct source_memory *memory);

/* The same for several threads at once, each with a memory of its own and always the same frames
 * and room, of a binary that was opened by binary_open_whole. */
size_t source_frames_of(const struct binary *binary, struct source_memory *memory, struct svma at,
                        struct source_frame *ret_frames, size_t room);
