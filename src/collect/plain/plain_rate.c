#include "collect/plain/plain_rate.h"

#include "collect/perf/perf_cost.h"
#include "collect/perf/perf_request.h"

#include <stdio.h>

enum {
    HZ_MAX = 997, /* more tells no more to who looks at it */
    HZ_MIN = 11,
    READ_NS = 20000, /* to take a sample out of its ring and unwind its stack */
    /* Of the budget; the rest is for context switches, names and output. */
    PART_NUMERATOR = 2,
    PART_DENOMINATOR = 3,
};

bool plain_rate_find(struct plain_rate *rate, bool all_cpus, uint32_t overhead_ppm, struct err *err)
{
    struct perf_request request;
    struct perf_wish wish = {.hz = HZ_MAX, .all_cpus = all_cpus};
    if (!perf_request_settle(&request, &wish, err))
        return false;
    uint64_t sample_ns = perf_cost_measure(&request);
    uint64_t budget_ns = (uint64_t)overhead_ppm * 1000 * PART_NUMERATOR / PART_DENOMINATOR;
    uint64_t hz = budget_ns / (sample_ns + READ_NS);
    *rate = (struct plain_rate){.sample_ns = sample_ns};
    rate->hz = (uint32_t)(hz < HZ_MIN ? HZ_MIN : hz > HZ_MAX ? HZ_MAX : hz) | 1;
    snprintf(rate->refused, sizeof rate->refused, "%s", request.refused);
    return true;
}
