#include "export/job/coverage.h"

#include "profile/profile.h"

#include <stdlib.h>

/* Until they are settled, counts are changes, which may be negative: modulo 2^64. A run ends behind
 * the first byte of its last instruction; between that and the next one nothing starts. */
void coverage_add(struct coverage *coverage, const struct profile *profile, uint32_t module)
{
    for (uint32_t i = 0; i < profile->ranges.n; i++) {
        const struct range_key *key = map_key(&profile->ranges.keys, i);
        uint64_t count = profile->ranges.at[i].count;
        if (key->module != module || !count)
            continue;
        *vec_push(coverage) = (struct coverage_step){key->start.v, count};
        *vec_push(coverage) = (struct coverage_step){key->last.v + 1, 0 - count};
    }
}

static int step_order(const void *a, const void *b)
{
    const struct coverage_step *x = a, *y = b;
    return x->at < y->at ? -1 : x->at > y->at;
}

void coverage_settle(struct coverage *coverage)
{
    size_t kept = 0;
    uint64_t sum = 0;
    if (coverage->n)
        qsort(coverage->at, coverage->n, sizeof *coverage->at, step_order);
    for (size_t i = 0; i < coverage->n; i++) {
        sum += coverage->at[i].count;
        if (kept && coverage->at[kept - 1].at == coverage->at[i].at)
            kept--;
        coverage->at[kept++] = (struct coverage_step){coverage->at[i].at, sum};
    }
    coverage->n = kept;
}

uint64_t coverage_count(const struct coverage *coverage, uint64_t at)
{
    size_t low = 0, high = coverage->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (coverage->at[middle].at <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? coverage->at[low - 1].count : 0;
}

void coverage_release(struct coverage *coverage)
{
    vec_release(coverage);
}
