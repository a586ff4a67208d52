/* Columns of the statements of each block of a function of the notes, from the dump of the same
 * compilation. */
#pragma once

#include "gcov/dumped.h"
#include "gcov/notes.h"

struct block_place {
    const char *file; /* without folder */
    uint32_t line, column;
    uint32_t block;
    uint8_t what; /* enum dumped_what */
};

struct block_places {
    VEC(struct block_place); /* in any order */
};

/* False, and none, if the dump's blocks and arcs are not those of the notes. Names are the dump's.
 */
bool block_places_find(struct block_places *places, const struct notes_function *function,
                       const struct dumped_function *dumped);
