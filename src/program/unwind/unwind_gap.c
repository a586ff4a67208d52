#include "program/unwind/unwind_gap.h"

#include "base/memory.h"
#include "program/unwind/unwind_build.h"

void unwind_gap_init(struct unwind_gap *gap, const struct image *image, struct svma low,
                     struct svma high)
{
    *gap = (struct unwind_gap){.image = image, .low = low, .high = high};
    derive_functions_read(&gap->functions, image, low, high);
    uint64_t reach = 0;
    for (size_t i = 0; i < gap->functions.n; i++) {
        if (gap->functions.at[i].end > reach)
            reach = gap->functions.at[i].end;
        *vec_push(&gap->reaches) = reach < high.v ? reach : high.v;
    }
}

void unwind_gap_release(struct unwind_gap *gap)
{
    vec_release(&gap->functions);
    vec_release(&gap->reaches);
    if (gap->all)
        unwind_release(gap->all);
    mem_free(gap->all);
}

/* ---- parts */

/* How many functions start at or before the address. */
static size_t functions_before(const struct unwind_gap *gap, struct svma at)
{
    size_t low = 0, high = gap->functions.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (gap->functions.at[middle].start <= at.v)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint64_t function_start(const struct unwind_gap *gap, size_t i)
{
    return i < gap->functions.n ? gap->functions.at[i].start : gap->high.v;
}

static bool all_sized(const struct unwind_gap *gap, size_t first, size_t behind)
{
    for (size_t i = first; i < behind; i++)
        if (!gap->functions.at[i].sized)
            return false;
    return true;
}

struct gap_part unwind_gap_part(const struct unwind_gap *gap, struct svma at)
{
    size_t behind = functions_before(gap, at);
    if (!behind)
        return (struct gap_part){.start = gap->low, .end = {function_start(gap, 0)}};
    size_t first = behind - 1;
    while (first && gap->reaches.at[first - 1] > gap->functions.at[first].start)
        first--;
    while (behind < gap->functions.n &&
           gap->functions.at[behind].start < gap->reaches.at[behind - 1])
        behind++;
    struct svma start = {gap->functions.at[first].start}, end = {gap->reaches.at[behind - 1]};
    if (at.v >= end.v)
        return (struct gap_part){.start = end, .end = {function_start(gap, behind)}};
    size_t n = all_sized(gap, first, behind) ? behind - first : 0;
    return (struct gap_part){.start = start, .end = end, .first = first, .n = n};
}

/* ---- reading */

static void read_functions(const struct unwind_gap *gap, const struct derive_function *functions,
                           size_t n, struct svma low, struct svma high, struct unwind *ret_unwind)
{
    struct deriveds deriveds;
    unwind_derive_functions(&deriveds, gap->image, functions, n, low, high);
    *ret_unwind = (struct unwind){.base = low};
    unwind_add_derived(ret_unwind, &deriveds);
    deriveds_release(&deriveds);
}

void unwind_gap_read(const struct unwind_gap *gap, const struct gap_part *part,
                     struct unwind *ret_unwind)
{
    read_functions(gap, gap->functions.at + part->first, part->n, part->start, part->end,
                   ret_unwind);
}

const struct unwind *unwind_gap_all(struct unwind_gap *gap)
{
    if (!gap->all) {
        gap->all = mem_alloc(sizeof *gap->all);
        read_functions(gap, gap->functions.at, gap->functions.n, gap->low, gap->high, gap->all);
    }
    return gap->all;
}
