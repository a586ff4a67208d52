/* How many elements a vector instruction processes at once.
 *
 * One iteration of a vectorised loop runs its source once per lane. Packed arithmetic shows the
 * number of lanes, because its opcodes hold the element size; moves and logic do not. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* 1: it is none of those. */
unsigned vector_lanes(const uint8_t *bytes, size_t n);
