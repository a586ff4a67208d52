/* Makes overlapping stretches of addresses disjoint: the highest value wins.
 *
 * The loser continues where the winner ends: inlined functions inside functions, JIT code over
 * older code. */
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

/* Claims come in rising order of value, and are sorted by start in place. Appends the result,
 * sorted and disjoint; equal neighbours are merged. At most 2n - 1 for n claims. */
void stretches_paint(struct stretches *claims, struct stretches *ret_painted);

/* Where the next stretch after an address that none has starts; the highest address: nowhere. */
uint64_t stretches_next(const struct stretch *at, size_t n, uint64_t address);
/* For painted stretches; NULL: none. */
const struct stretch *stretches_find(const struct stretch *at, size_t n, uint64_t address);
