/* The few most frequent values of one place, in bounded space: three algorithms with one interface.
 *
 * Concise: a sample of the stream; each value is taken with probability 1/threshold. When there are
 * too many different ones, the threshold is raised and the sample thinned. Estimates are unbiased.
 * A value that is not sampled costs a subtraction. Counting: values in the list are always counted,
 * others enter with probability 1/threshold. More precise, but occurrences before a value entered
 * are estimated. Space-saving: everything is counted. A value that is not in the list takes the
 * place and the count of the least frequent one, and what it took over is known: bounds that hold
 * for certain.
 *
 * docs/PERFORMANCE.md compares them; HOTLIST_DEFAULT is the result. */
#pragma once

#include "compress/random.h"

#include <stdbool.h>
#include <stddef.h>

enum hotlist_kind {
    HOTLIST_CONCISE,
    HOTLIST_COUNTING,
    HOTLIST_SPACE_SAVING,
    HOTLIST_KINDS,
    HOTLIST_DEFAULT = HOTLIST_SPACE_SAVING
};

enum { HOTLIST_VALUES = 16, HOTLIST_BITS = 4 };

struct hotlist {
    uint64_t total; /* values ever inserted: exact */
    /* Concise, counting: the threshold, in 2^-32, at least one; random_geometric's argument for it;
     * and how many values (counting: of those not in the list) to skip before the next that enters.
     */
    uint64_t threshold, failure, skip;
    uint32_t kind, n, most; /* most: values that are kept, at most HOTLIST_VALUES */
    /* One more than are kept: the last to enter may be one too many. */
    uint64_t values[HOTLIST_VALUES + 1];
    uint64_t counts[HOTLIST_VALUES + 1];
    uint64_t
        errors[HOTLIST_VALUES]; /* space-saving: the part of a count that may belong to others */
};

/* How often a value occurred: between lo and hi for certain, or with a confidence of 95 %. */
struct hotlist_estimate {
    uint64_t value, count, lo, hi;
    bool certain;
};

/* Its word; and what an entry takes in memory. */
const char *hotlist_kind_name(enum hotlist_kind kind);
uint32_t hotlist_entry_bytes(enum hotlist_kind kind);
void hotlist_init(struct hotlist *list, enum hotlist_kind kind);
/* In 2^-HOTLIST_BITS: one occurrence in so many is in the sample (concise), or brings a value into
 * the list (counting); space-saving: the most that any count may have of others. 1 and 0: all is
 * exact. */
uint64_t hotlist_unsure(const struct hotlist *list);
void hotlist_insert(struct hotlist *list, uint64_t value, struct random *random);
/* Adds so many at once; space-saving lists only. The value at the head, mostly the most frequent,
 * costs least. */
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
