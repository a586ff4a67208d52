/* How many elements a vector instruction works on at once.
 *
 * A loop that the compiler vectorised runs its source as many times as it has lanes in one turn.
 * Which lanes those are is told by packed arithmetic, whose opcodes have the size of elements;
 * moves and logic have none. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* 1: it is none of those. */
unsigned vector_lanes(const uint8_t *bytes, size_t n);
