/* What in a module's code leads from one stretch of it to another, or into the middle of one: found
 * in one sweep, which is what takes time.
 *
 * Calls of functions and jumps to them, which most are, are left out: nobody asks. */
#pragma once

#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image;

/* By start, disjoint. */
struct code_stretch {
    uint64_t start, end;
    bool unnamed; /* known by its frame description alone: it may turn out to be a part of a
                     function */
    bool inside;  /* of a frame, by that description */
    bool part;    /* of a function that begins elsewhere, as its name says */
};

enum crossing_kind {
    CROSSING_JUMP,
    CROSSING_COND, /* a conditional one */
    CROSSING_CALL,
    CROSSING_LANDING, /* endbr64: indirect branches may come here, from anywhere */
};

struct crossing {
    uint64_t to;
    uint32_t from, into; /* stretches: from where, and where it lies; both the same of a landing */
    uint8_t kind;
};

struct crossings {
    VEC(struct crossing);
    bool *used; /* by stretch: an instruction calls its beginning or takes its address, if it is
                   unnamed; else not told */
};

void crossings_find(struct crossings *crossings, const struct image *image,
                    const struct code_stretch *stretches, size_t n);
void crossings_release(struct crossings *crossings);
