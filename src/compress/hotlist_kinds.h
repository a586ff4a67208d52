/* What the kinds of hotlist.h implement. */
#pragma once

#include "compress/hotlist.h"

struct hotlist_way {
    void (*insert)(struct hotlist *list, uint64_t value, struct random *random);
    /* Sets count, lo, hi and certain of entry i. */
    void (*estimate)(const struct hotlist *list, uint32_t i, struct hotlist_estimate *estimate);
};

extern const struct hotlist_way hotlist_concise, hotlist_counting, hotlist_space_saving;

#define HOTLIST_ONE (UINT64_C(1) << 32)

/* Its index in the list, or n. */
static inline uint32_t hotlist_find(const struct hotlist *list, uint64_t value)
{
    uint32_t i = 0;
    while (i < list->n && list->values[i] != value)
        i++;
    return i;
}

/* Entry i was just seen: swaps it with the one before if it is more frequent, so that frequent
 * values are found first. Returns its new index. */
static inline uint32_t hotlist_forward(struct hotlist *list, uint32_t i)
{
    if (!i || list->counts[i] <= list->counts[i - 1])
        return i;
    uint64_t value = list->values[i], count = list->counts[i];
    list->values[i] = list->values[i - 1];
    list->counts[i] = list->counts[i - 1];
    list->values[i - 1] = value;
    list->counts[i - 1] = count;
    return i - 1;
}

/* Drops entries without a count. */
void hotlist_close_ranks(struct hotlist *list);
/* A random number: how many of n are hit, each with probability numerator/denominator. */
uint64_t hotlist_binomial(uint64_t n, uint64_t numerator, uint64_t denominator,
                          struct random *random);
void hotlist_threshold(struct hotlist *list, uint64_t threshold, struct random *random);
/* The next threshold: 16/15 of this one. */
static inline uint64_t hotlist_raised(const struct hotlist *list)
{
    return list->threshold + (list->threshold + HOTLIST_VALUES - 2) / (HOTLIST_VALUES - 1);
}
/* count times threshold, rounded. */
static inline uint64_t hotlist_scaled(uint64_t count, uint64_t threshold)
{
    return (uint64_t)(((u128)count * threshold + HOTLIST_ONE / 2) >> 32);
}
uint64_t hotlist_root(uint64_t square);
