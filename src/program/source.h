/* Where code comes from: the functions and lines that an address belongs to, inlined ones included.
 *
 * The name of the real function is the one that the symbols have; debug information names the
 * inlined ones, and lines. What is not known is NULL or 0. */
#pragma once

#include "wire/address.h"

#include <stddef.h>
#include <stdint.h>

struct binary;
struct inline_names;

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

/* The same for several threads at once, each with names of its own, once source_prepare was called. */
void source_prepare(struct binary *binary);
size_t source_frames_of(const struct binary *binary, struct inline_names *names, struct svma at,
                        struct source_frame *ret_frames, size_t room);
