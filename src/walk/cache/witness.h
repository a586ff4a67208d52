/* Checksums of the code that has copies, line by line: has it changed?
 *
 * For processes in which no interposer reports changes of code. Lines are added under the cache's
 * lock and dropped when it is flushed; any thread may ask. */
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

/* Adds bytes that were copied. False: no room for more. */
bool witness_add(struct witness *witness, uint64_t start, uint64_t bytes);
/* True if all bytes are unchanged. Unmapped bytes are not. */
bool witness_holds(const struct witness *witness);
void witness_forget(struct witness *witness);
