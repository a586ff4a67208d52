/* Branches from one stretch of a module's code to another, or into the middle of one. One sweep
 * over the code finds them all; the sweep is the expensive part.
 *
 * Calls and jumps to the start of a function, which are most, are left out: nobody needs them. */
#pragma once

#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image;

/* By start, disjoint. */
struct code_stretch {
    uint64_t start, end;
    bool unnamed; /* known by its frame description only: it may be a part of a function */
    bool inside;  /* that description starts inside a frame */
    bool part;    /* its name says that it is a part of a function elsewhere */
};

enum crossing_kind {
    CROSSING_JUMP,
    CROSSING_COND, /* conditional jump */
    CROSSING_CALL,
    CROSSING_LANDING, /* endbr64: a possible target of indirect branches */
};

struct crossing {
    uint64_t to;
    uint32_t from, into; /* stretches of source and target; the same for a landing */
    uint8_t kind;
};

struct crossings {
    VEC(struct crossing);
    bool *used; /* for each unnamed stretch: an instruction calls its start or takes its address */
};

void crossings_find(struct crossings *crossings, const struct image *image,
                    const struct code_stretch *stretches, size_t n);
void crossings_release(struct crossings *crossings);
