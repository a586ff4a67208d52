#include "model/core/lru.h"

#include "base/memory.h"

#include <string.h>

static size_t parts_of(const struct lru *lru)
{
    return (lru->sets + (size_t)LRU_PART - 1) / LRU_PART;
}

void lru_init(struct lru *lru, uint64_t entries, uint32_t ways)
{
    *lru = (struct lru){.ways = ways, .sets = 1};
    if (!entries)
        return;
    while ((uint64_t)lru->sets * ways < entries)
        lru->sets *= 2;
    size_t n = (size_t)lru->sets * ways;
    lru->numbers = mem_alloc(n * sizeof *lru->numbers);
    lru->used = mem_alloc(n * sizeof *lru->used);
    lru->entries = mem_alloc(n * sizeof *lru->entries);
    lru->touched = mem_alloc(parts_of(lru) * sizeof *lru->touched);
}

void lru_release(struct lru *lru)
{
    mem_free(lru->numbers);
    mem_free(lru->used);
    mem_free(lru->entries);
    mem_free(lru->touched);
    *lru = (struct lru){0};
}

void lru_copy(struct lru *to, const struct lru *from)
{
    size_t all = (size_t)from->sets * from->ways, part = (size_t)LRU_PART * from->ways;
    to->clock = from->clock;
    for (size_t i = 0; from->numbers && i < parts_of(from); i++) {
        size_t at = i * part, n = all - at < part ? all - at : part;
        if (!from->touched[i] && !to->touched[i])
            continue;
        memcpy(to->numbers + at, from->numbers + at, n * sizeof *from->numbers);
        memcpy(to->used + at, from->used + at, n * sizeof *from->used);
        memcpy(to->entries + at, from->entries + at, n * sizeof *from->entries);
        to->touched[i] = from->touched[i];
    }
}

static size_t set_of(const struct lru *lru, uint64_t number)
{
    return (number & (lru->sets - 1)) * lru->ways;
}

struct lru_entry *lru_find(struct lru *lru, uint64_t number)
{
    if (!lru->numbers)
        return NULL;
    size_t set = set_of(lru, number);
    for (size_t at = set; at < set + lru->ways; at++)
        if (lru->numbers[at] == number + 1) {
            lru->used[at] = ++lru->clock;
            return &lru->entries[at];
        }
    return NULL;
}

/* A free place of its set, or that of the line that was not used for longest. */
static size_t place_for(const struct lru *lru, uint64_t number)
{
    size_t set = set_of(lru, number), oldest = set;
    for (size_t at = set; at < set + lru->ways && lru->numbers[oldest]; at++)
        if (!lru->numbers[at] || lru->clock - lru->used[at] > lru->clock - lru->used[oldest])
            oldest = at;
    return oldest;
}

struct lru_entry *lru_put(struct lru *lru, uint64_t number, uint64_t arrives)
{
    if (!lru->numbers)
        return NULL;
    size_t place = place_for(lru, number);
    lru->touched[place / lru->ways / LRU_PART] = true;
    lru->numbers[place] = number + 1;
    lru->used[place] = ++lru->clock;
    lru->entries[place] = (struct lru_entry){.arrives = arrives};
    return &lru->entries[place];
}

bool lru_victim(const struct lru *lru, uint64_t number, uint64_t *ret)
{
    uint64_t held = lru->numbers ? lru->numbers[place_for(lru, number)] : 0;
    if (held)
        *ret = held - 1;
    return held;
}

void lru_drop(struct lru *lru, uint64_t number)
{
    if (!lru->numbers)
        return;
    size_t set = set_of(lru, number);
    for (size_t at = set; at < set + lru->ways; at++)
        if (lru->numbers[at] == number + 1)
            lru->numbers[at] = 0;
}
