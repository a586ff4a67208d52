/* The bytes of the program that copies were made of, remembered as sums of lines: whether they are
 * still what they were.
 *
 * For processes whose changes of code nobody tells us of. Lines are added under the cache's lock
 * and forgotten when it is flushed; anybody may ask. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
    WITNESS_LINES = 1 << 15,
    WITNESS_INDEX = 1 << 16, /* hash slots, a power of two above WITNESS_LINES */
};

struct witness_line {
    uint64_t at;  /* avma */
    uint64_t sum; /* of its bytes; never 0 */
};

/* Zeroed, sparsely mapped memory. */
struct witness {
    uint32_t n;
    uint32_t index[WITNESS_INDEX]; /* number of a line + 1 */
    struct witness_line lines[WITNESS_LINES];
};

/* Copies were made of these bytes. False: no room for more. */
bool witness_add(struct witness *witness, uint64_t start, uint64_t bytes);
/* Whether all bytes are those that were added. What cannot be read any more is not. */
bool witness_holds(const struct witness *witness);
void witness_forget(struct witness *witness);
