/* The few most frequent values of one place, in bounded space; three ways of it behind one
 * interface.
 *
 * Concise: a sample of the stream, in which each value has been taken with probability 1/threshold;
 * when there are too many different ones the threshold is raised and the sample thinned. Estimates
 * are unbiased. What is not sampled costs a subtraction. Counting: what
 * is in the list is counted always, what is not comes in with probability 1/threshold. Closer, but
 *   what was there before it came in is only guessed.
 * Space-saving: all is counted; who is not in the list takes the place and the count of the least,
 * and what he has taken over is known: bounds that hold for certain.
 *
 * docs/PERFORMANCE.md compares them; HOTLIST_DEFAULT is what came of it. */
#pragma once

#include "compress/random.h"

#include <stdbool.h>
#include <stddef.h>

enum hotlist_kind {
    HOTLIST_CONCISE,
    HOTLIST_COUNTING,
    HOTLIST_SPACE_SAVING,
    HOTLIST_DEFAULT = HOTLIST_SPACE_SAVING
};

enum { HOTLIST_VALUES = 16 };

struct hotlist {
    uint64_t total; /* values ever inserted: exact */
    /* Concise, counting: the threshold, in 2^-32, at least one; what random_geometric takes for it;
     * and how many values (counting: such as are not in the list) to pass over before the next that
     * comes in. */
    uint64_t threshold, failure, skip;
    uint32_t kind, n;
    /* One more than are kept: who comes last may make too many. */
    uint64_t values[HOTLIST_VALUES + 1];
    uint64_t counts[HOTLIST_VALUES + 1];
    uint64_t errors[HOTLIST_VALUES]; /* space-saving: what of a count may be others' */
};

/* How often a value occurred. Between lo and hi for certain, or 95 times of 100. */
struct hotlist_estimate {
    uint64_t value, count, lo, hi;
    bool certain;
};

void hotlist_init(struct hotlist *list, enum hotlist_kind kind);
void hotlist_insert(struct hotlist *list, uint64_t value, struct random *random);
/* So many at once; of space-saving lists alone. What is counted first, and most often the most
 * frequent, costs the least. */
void hotlist_add_other(struct hotlist *list, uint64_t value, uint64_t count);
static inline void hotlist_add(struct hotlist *list, uint64_t value, uint64_t count)
{
    if (list->n && list->values[0] == value) {
        list->total += count;
        list->counts[0] += count;
    } else {
        hotlist_add_other(list, value, count);
    }
}
/* The most frequent first; equal ones by value. Returns their number, at most HOTLIST_VALUES. */
size_t hotlist_estimates(const struct hotlist *list, struct hotlist_estimate *estimates);
