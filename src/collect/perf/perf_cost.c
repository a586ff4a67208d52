#include "collect/perf/perf_cost.h"

#include "base/clock.h"
#include "base/scope.h"
#include "collect/perf/perf_request.h"
#include "collect/perf/perf_ring.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <time.h>

enum {
    GAPS_N = 9,
    GAPS_FEW = 5,
    GAP_NS = 1000, /* a shorter one is no interrupt */
    PERIOD_NS = 50000,
    LONGEST_NS = 4000000,
    USUAL_NS = 15000,
    RING_BYTES = 1 << 17, /* holds the samples: without room they would cost less */
    STACK_BYTES = 1 << 13,
};

static int gap_order(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Times at which this thread does not get on. */
static int gaps_watch(uint64_t gaps[GAPS_N])
{
    int n = 0;
    uint64_t began = clock_ns(CLOCK_MONOTONIC), last = began;
    while (n < GAPS_N && last - began < LONGEST_NS) {
        uint64_t now = clock_ns(CLOCK_MONOTONIC);
        if (now - last > GAP_NS)
            gaps[n++] = now - last;
        last = now;
    }
    return n;
}

uint64_t perf_cost_measure(const struct perf_request *request)
{
    struct perf_event_attr attr = request->sampler;
    attr.inherit = 0;
    attr.freq = 0;
    attr.enable_on_exec = 0;
    attr.sample_period = PERIOD_NS;
    attr.sample_stack_user = STACK_BYTES;
    struct perf_ring ring = {0};
    uint64_t gaps[GAPS_N];
    AUTO(fd_close) int fd = perf_open(&attr, 0, -1);
    if (fd < 0 || !perf_ring_map(&ring, fd, RING_BYTES))
        return USUAL_NS;
    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
    int n = gaps_watch(gaps);
    ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
    perf_ring_unmap(&ring);
    if (n < GAPS_FEW)
        return USUAL_NS;
    qsort(gaps, (size_t)n, sizeof *gaps, gap_order);
    return gaps[n / 2];
}
