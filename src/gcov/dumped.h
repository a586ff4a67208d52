/* The blocks of functions as a dump of their statements has them (-fdump-tree-release_ssa-lineno),
 * with the columns that notes lack. gcc makes its graphs of the same blocks a little later, when it
 * has cut them behind calls: block_places.h says which are which. */
#pragma once

#include "base/memory.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum dumped_what {
    DUMPED_CODE,   /* a statement that becomes code */
    DUMPED_BEGINS, /* one of the source begins */
    DUMPED_BRANCH, /* an if or a switch, */
    DUMPED_CALL    /* or a call: a DUMPED_CODE as well */
};

struct dumped_place {
    const char *file; /* without folder; one pointer for one name */
    uint32_t line, column;
    uint8_t what; /* enum dumped_what */
};

/* How a block ends. */
enum dumped_end { DUMPED_GOES, DUMPED_LEAVES, DUMPED_IF, DUMPED_OTHERWISE };

struct dumped_block {
    uint32_t number; /* of gcc; others go to it by that */
    uint32_t first_place, n_places;
    uint32_t to[2];       /* DUMPED_GOES: one, DUMPED_IF: two; 0: the next block */
    uint32_t calls, cuts; /* cuts: calls that other statements follow */
    uint8_t end;          /* enum dumped_end */
};

struct dumped_function {
    const char *name; /* as linked */
    struct dumped_blocks {
        VEC(struct dumped_block); /* in the order of the dump, which is that of the notes */
    } blocks;
    struct dumped_places {
        VEC(struct dumped_place);
    } places;
};

struct dumped_functions {
    struct arena arena;
    VEC(struct dumped_function); /* by name */
};

/* From the dump beside the notes; none if there is none. */
void dumped_read(struct dumped_functions *dumped, const char *notes);
/* Of the text of a dump, which is not changed. */
void dumped_parse(struct dumped_functions *dumped, const char *text, size_t n);
void dumped_release(struct dumped_functions *dumped);
/* NULL: the dump has none of that name. */
const struct dumped_function *dumped_find(const struct dumped_functions *dumped, const char *name);
