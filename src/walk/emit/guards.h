/* Copies of code that may change at any time: made at run time, writable, or in shared memory. The
 * bytes that they were made of are kept, and compared each time before they run.
 *
 * Bytes that cannot be read any more count as different. */
#pragma once

#include "walk/emit/shape.h"

enum { GUARDS_BYTES = 16 << 20 };

/* Zeroed, sparsely mapped memory. All but guards_hold: under the cache's lock. */
struct guards {
    uint32_t used;
    _Alignas(8) uint8_t bytes[GUARDS_BYTES];
};

/* Keeps the bytes of a shape. 0: no room, or they cannot be read; else a number for guards_hold. */
uint32_t guards_add(struct guards *guards, const struct shape *shape);
/* True if they are unchanged. */
bool guards_hold(const struct guards *guards, uint32_t guard);
/* Iterates over the kept runs of bytes; false: no more. */
struct guards_run {
    uint64_t start, bytes; /* avma */
    const uint8_t *ours;   /* NULL: before the first run */
};
bool guards_next(const struct guards *guards, uint32_t guard, struct guards_run *run);
void guards_forget(struct guards *guards);
