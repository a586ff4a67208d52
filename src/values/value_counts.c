#include "values/value_counts.h"

#include "base/memory.h"

#include <stdlib.h>

enum {
    SLOTS_FIRST = 8,
    RUNS_LENGTH = 4, /* where values are repeated so often, runs of them are added */
    AHEAD = 12       /* so many values before it is needed a slot is fetched */
};

void value_counts_release(struct value_counts *counts)
{
    mem_free(counts->slots);
    *counts = (struct value_counts){0};
}

/* Where to look first, whatever the number of slots. */
static inline uint32_t slot_hash(uint64_t value)
{
    return (uint32_t)((value ^ value >> 32) * UINT64_C(0x9e3779b97f4a7c15) >> 40);
}

/* Where the value is, or would be. */
static struct value_count *slot_find(const struct value_counts *counts, uint64_t value)
{
    for (uint32_t at = slot_hash(value);; at++) {
        struct value_count *slot = &counts->slots[at & (counts->n_slots - 1)];
        if (!slot->count || slot->value == value)
            return slot;
    }
}

/* All anew in so many slots, less `less` each; what has no more than that is gone. */
static void slots_make(struct value_counts *counts, uint32_t n_slots, uint64_t less)
{
    struct value_count *old = counts->slots;
    uint32_t n_old = counts->n_slots;
    counts->slots = mem_alloc(n_slots * sizeof *counts->slots);
    counts->n_slots = n_slots;
    counts->n = 0;
    counts->last = NULL;
    for (uint32_t i = 0; i < n_old; i++)
        if (old[i].count > less) {
            *slot_find(counts, old[i].value) =
                (struct value_count){old[i].value, old[i].count - less};
            counts->n++;
        }
    mem_free(old);
}

/* The least power of two, less one, that at least half of the counts do not exceed. */
static uint64_t half_below(const struct value_counts *counts)
{
    uint32_t by_bits[65] = {0}, below = 0, bits = 0;
    /* Every other slot is free, and none knows which: cheaper to count them all than to ask. */
    for (uint32_t i = 0; i < counts->n_slots; i++)
        by_bits[63 - __builtin_clzll(counts->slots[i].count << 1 | 1)]++;
    by_bits[0] = 0;
    while (bits < 64 && (below += by_bits[bits]) < counts->n / 2)
        bits++;
    return (UINT64_C(1) << (bits < 63 ? bits : 63)) - 1;
}

static void room_make(struct value_counts *counts)
{
    if (!counts->slots) {
        slots_make(counts, SLOTS_FIRST, 0);
    } else if (counts->n < (uint32_t)VALUE_COUNTS_MOST << counts->more) {
        slots_make(counts, 2 * counts->n_slots, 0);
    } else {
        uint64_t less = half_below(counts);
        counts->lost += less;
        slots_make(counts, counts->n_slots, less);
    }
}

/* Where the value is counted; one that is new gets a slot, and only then others may have to go. */
static struct value_count *slot_get(struct value_counts *counts, uint64_t value)
{
    if (!counts->slots)
        room_make(counts);
    struct value_count *slot = slot_find(counts, value);
    if (slot->count)
        return slot;
    if (counts->n >= counts->n_slots / 2) {
        room_make(counts);
        slot = slot_find(counts, value);
    }
    counts->n++;
    slot->value = value;
    return slot;
}

void value_counts_add_other(struct value_counts *counts, uint64_t value, uint64_t times)
{
    counts->last = slot_get(counts, value);
    counts->last->count += times;
}

static void runs_add(struct value_counts *counts, const uint64_t *values, uint32_t apart,
                     uint32_t n)
{
    for (uint32_t i = 0, run; i < n; i += run) {
        for (run = 1; i + run < n && values[(i + run) * apart] == values[i * apart];)
            run++;
        value_counts_add(counts, values[i * apart], run);
    }
}

/* Where a value is met again is looked up, and not guessed to be where the last was. */
static void each_add(struct value_counts *counts, const uint64_t *values, uint32_t apart,
                     uint32_t n)
{
    counts->total += n;
    for (uint32_t i = 0; i < n; i++, values += apart) {
        if (i + AHEAD < n && counts->slots)
            __builtin_prefetch(
                &counts->slots[slot_hash(values[AHEAD * apart]) & (counts->n_slots - 1)], 1);
        slot_get(counts, *values)->count++;
    }
}

void value_counts_add_column(struct value_counts *counts, const uint64_t *values, uint32_t apart,
                             uint32_t n)
{
    uint32_t turns = 0;
    for (uint32_t i = 1; i < n; i++)
        turns += values[i * apart] != values[(i - 1) * apart];
    if (turns < n / RUNS_LENGTH)
        runs_add(counts, values, apart, n);
    else
        each_add(counts, values, apart, n);
}

static int by_count(const void *a, const void *b)
{
    const struct value_count *x = a, *y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return x->value < y->value ? -1 : x->value > y->value;
}

size_t value_counts_top(const struct value_counts *counts, struct value_count *top, size_t most)
{
    struct value_count *all = mem_alloc((counts->n + 1) * sizeof *all);
    size_t n = 0;
    for (uint32_t i = 0; i < counts->n_slots; i++)
        if (counts->slots[i].count)
            all[n++] = counts->slots[i];
    qsort(all, n, sizeof *all, by_count);
    n = n < most ? n : most;
    for (size_t i = 0; i < n; i++)
        top[i] = all[i];
    mem_free(all);
    return n;
}
