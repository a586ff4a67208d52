/* Copies of code that may change at any time: made at run time, writable, or shared with somebody
 * who writes it. What they were made of is kept, and compared each time before they run.
 *
 * A fault while looking at the program's bytes is a difference: they are gone. */
#pragma once

#include "walk/emit/shape.h"

enum { GUARDS_BYTES = 16 << 20 };

/* Zeroed, sparsely mapped memory; all but guards_hold under the cache's lock. */
struct guards {
    uint32_t used;
    _Alignas(8) uint8_t bytes[GUARDS_BYTES];
};

/* Keeps the bytes of a shape. 0: no room, or they cannot be read; else a number for guards_hold. */
uint32_t guards_add(struct guards *guards, const struct shape *shape);
/* Whether they are still the same. */
bool guards_hold(const struct guards *guards, uint32_t guard);
/* What is kept, run by run; false: that was all. */
struct guards_run {
    uint64_t start, bytes; /* avma */
    const uint8_t *ours;   /* NULL: before the first */
};
bool guards_next(const struct guards *guards, uint32_t guard, struct guards_run *run);
void guards_forget(struct guards *guards);
