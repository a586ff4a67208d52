/* A function whose indirect jumps are looked for, and the work that may still go into it. */
#pragma once

#include "program/cfg/jumps.h"

struct cfg;
struct image;
struct operation;
struct symbols;
struct tables_read;

struct jump_search {
    struct jumps *jumps; /* what is found */
    const struct cfg *cfg;
    const struct image *image;
    const struct symbols *symbols;      /* of the image, and its evidence */
    const struct operation *operations; /* of each instruction */
    uint64_t *effort;                   /* that may still be made; 0: give up */
    struct tables_read *read;           /* tables that were read already */
};

/* Whether so much more may be done. */
static inline bool search_takes(const struct jump_search *search, uint64_t steps)
{
    *search->effort = *search->effort > steps ? *search->effort - steps : 0;
    return *search->effort != 0;
}
