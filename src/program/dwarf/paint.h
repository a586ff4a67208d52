/* Overlapping stretches of addresses made disjoint: where several claim a place, the highest has
 * it.
 *
 * What is painted over comes back where the winner ends: inlined functions inside of functions,
 * jitted code on top of older code. */
#pragma once

#include "base/vec.h"

#include <stdint.h>

struct stretch {
    uint64_t start, end;
    uint32_t value; /* the higher wins */
};
struct stretches {
    VEC(struct stretch);
};

/* Claims come in rising order of value, and are sorted by start in place. Appends the result, by
 * start and disjoint; neighbours of one value are one. At most 2n - 1 of n. */
void stretches_paint(struct stretches *claims, struct stretches *ret_painted);

/* NULL: none has it. For painted ones. */
const struct stretch *stretches_find(const struct stretch *at, size_t n, uint64_t address);
