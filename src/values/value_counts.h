/* Counts of the values of one place: all of them (--exact=trace), or those of windows, by weight.
 *
 * Exact while there are not too many different values. Then the rarest are dropped, and all others
 * lose as much as those had at most. So no count is too high, and none is too low by more than
 * `lost`, which is at most one in VALUE_COUNTS_MOST / 4 of all. */
#pragma once

#include "base/vec.h"

#include <stddef.h>
#include <stdint.h>

enum { VALUE_COUNTS_MOST = 512 }; /* more are slower: thousands of places share the caches */

struct value_count {
    uint64_t value, count; /* count 0: a free slot */
};

struct value_counts {
    uint64_t total;           /* of all values */
    struct value_count *last; /* slot of the last value */
    uint64_t lost;
    uint32_t n, n_slots;
    uint32_t more;             /* how often VALUE_COUNTS_MOST is doubled */
    uint32_t most;             /* different values, a power of two; 0: VALUE_COUNTS_MOST */
    struct value_count *slots; /* a hash table; NULL: none yet */
};

void value_counts_release(struct value_counts *counts);
/* A value that is not the last one again. */
void value_counts_add_other(struct value_counts *counts, uint64_t value, uint64_t times);

static inline void value_counts_add(struct value_counts *counts, uint64_t value, uint64_t times)
{
    counts->total += times;
    if (counts->last && counts->last->value == value)
        counts->last->count += times;
    else
        value_counts_add_other(counts, value, times);
}
/* n values, `apart` words from each other, once each. */
void value_counts_add_column(struct value_counts *counts, const uint64_t *values, uint32_t apart,
                             uint32_t n);
/* The most frequent values, at most `most`: highest count first, equal ones by value. Returns how
 * many. */
size_t value_counts_top(const struct value_counts *counts, struct value_count *top, size_t most);
