/* Functions that gcc inlines before it makes its graphs, and that the recorded program calls
 * instead, because it was built with other flags (-Og): what ran in them belongs to the graphs of
 * those who call them, as often as they call. */
#pragma once

#include "base/map.h"
#include "base/vec.h"

#include <stdint.h>

struct gathering;

struct called_copy {
    uint32_t callee, caller; /* numbers of all objects' functions */
    uint32_t line, column;   /* of the call */
    uint64_t calls;
};

struct called_copies {
    struct map inlined; /* caller and callee: the program has at least one copy */
    VEC(struct called_copy);
    struct called_totals {
        VEC(uint64_t);
    } totals; /* calls of each function from wherever */
};

void called_copies_open(struct called_copies *copies);
void called_copies_close(struct called_copies *copies);
/* The chains are those of one instruction. */
void called_copies_see(struct gathering *gathering);
/* Once all code was seen: deals the records of such functions to their callers. */
void called_copies_deal(struct gathering *gathering);
