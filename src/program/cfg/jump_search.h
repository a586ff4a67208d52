/* The search for the indirect jumps of one function. */
#pragma once

#include "program/cfg/jumps.h"

struct cfg;
struct image;
struct operation;
struct symbols;
struct tables_read;

struct jump_search {
    struct jumps *jumps; /* the result */
    const struct cfg *cfg;
    const struct image *image;
    const struct symbols *symbols;      /* of the image, and its evidence */
    const struct operation *operations; /* of each instruction */
    uint64_t *effort;                   /* steps left; 0: give up */
    struct tables_read *read;           /* cache of tables */
};

/* Takes so many steps from the effort; false: none are left. */
static inline bool search_takes(const struct jump_search *search, uint64_t steps)
{
    *search->effort = *search->effort > steps ? *search->effort - steps : 0;
    return *search->effort != 0;
}
