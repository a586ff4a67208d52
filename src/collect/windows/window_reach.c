#include "collect/windows/window_reach.h"

/* Below 2^BIN_SMALL all are alike: REACH_LEAST is more. */
enum { BIN_SMALL = 2 };

static uint32_t bin_of(uint64_t instructions)
{
    uint64_t n = instructions < 1 << BIN_SMALL ? 1 << BIN_SMALL : instructions;
    uint32_t log = 63 - (uint32_t)__builtin_clzll(n);
    uint32_t bin = log * REACH_STEPS + (uint32_t)(n >> (log - BIN_SMALL) & (REACH_STEPS - 1));
    return bin < REACH_BINS ? bin : REACH_BINS - 1;
}

/* The least length of a bin. */
static uint64_t bin_length(uint32_t bin)
{
    uint32_t log = bin / REACH_STEPS;
    return (uint64_t)(REACH_STEPS + bin % REACH_STEPS) << log >> BIN_SMALL;
}

void window_reach_add(struct window_reach *reach, uint64_t instructions, bool cut)
{
    reach->windows++;
    if ((reach->root + 1) * (reach->root + 1) <= reach->windows)
        reach->root++;
    if (cut)
        reach->cut[bin_of(instructions)]++;
}

uint64_t window_reach(const struct window_reach *reach)
{
    uint64_t shorter = 0, most = reach->windows / REACH_PART + reach->root;
    for (uint32_t bin = 0; bin < REACH_BINS; bin++) {
        shorter += reach->cut[bin];
        if (shorter > most)
            return bin_length(bin) < REACH_LEAST ? REACH_LEAST : bin_length(bin);
    }
    return UINT64_MAX;
}
