/* Where walks are wanted (record --only). The tool writes the table into a channel's header as it
 * learns the process's mappings; the agent reads it at each interrupt.
 *
 * Of interrupts outside only one in ONLY_OUTSIDE_EVERY is walked, and its window stands for as
 * many. So estimates stay unbiased, and the budget is spent inside. Until the table is written,
 * everything is inside. */
#pragma once

#include "wire/channel.h"

#include <stdbool.h>

enum {
    CHANNEL_ONLY_AT = CHANNEL_HEADER_BYTES / 2,
    CHANNEL_ONLY_BYTES = CHANNEL_HEADER_BYTES / 2,
    ONLY_RANGES = CHANNEL_ONLY_BYTES / 16 - 1,
    ONLY_OUTSIDE_EVERY = 8,
};

struct wire_range {
    uint64_t start, end; /* avma; end: after the last byte */
};

struct wire_only {
    uint64_t version; /* 0: no table; odd: it is being written */
    uint64_t n;
    struct wire_range ranges[ONLY_RANGES]; /* by start, disjoint */
};
_Static_assert(sizeof(struct wire_only) <= CHANNEL_ONLY_BYTES, "a section");
_Static_assert(sizeof(struct channel) <= CHANNEL_ONLY_AT, "a header");

static inline struct wire_only *channel_only(struct channel *channel)
{
    return (struct wire_only *)(void *)((unsigned char *)channel + CHANNEL_ONLY_AT);
}

/* True if walks are wanted at pc. Bounded, whatever the table holds. */
static inline bool wire_only_wants(const struct wire_only *only, uint64_t pc)
{
    uint64_t version = __atomic_load_n(&only->version, __ATOMIC_ACQUIRE);
    if (!version || version & 1)
        return true;
    uint64_t low = 0, high = __atomic_load_n(&only->n, __ATOMIC_RELAXED);
    if (high > ONLY_RANGES)
        return true;
    while (low < high) {
        uint64_t middle = (low + high) / 2;
        if (__atomic_load_n(&only->ranges[middle].start, __ATOMIC_RELAXED) <= pc)
            low = middle + 1;
        else
            high = middle;
    }
    bool wanted = low && pc < __atomic_load_n(&only->ranges[low - 1].end, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return wanted || __atomic_load_n(&only->version, __ATOMIC_RELAXED) != version;
}
