#include "collect/kernel/wait_slice.h"

#include "base/scope.h"
#include "collect/kernel/samples.h"
#include "collect/perf/perf_record.h"
#include "collect/perf/perf_request.h"
#include "collect/perf/perf_ring.h"
#include "profile/stacks.h"

#include <sys/ioctl.h>
#include <time.h>

enum {
    SLICE_NS = 1000000,
    RING_BYTES = 1 << 18, /* some 30 stacks */
    STACK_BYTES = 1 << 13,
};

/* The thread between two records. */
struct moment {
    uint32_t node; /* STACK_NONE: its stack is not known */
    bool waits, runnable;
    uint64_t since_ns;
};

static void spots_add(struct wait_spots *spots, uint32_t node, bool runnable, uint64_t ns)
{
    struct wait_spot *spot = NULL;
    for (size_t i = 0; i < spots->n && !spot; i++)
        if (spots->at[i].node == node && spots->at[i].runnable == runnable)
            spot = &spots->at[i];
    if (!spot) {
        spot = vec_push(spots);
        *spot = (struct wait_spot){.node = node, .runnable = runnable};
    }
    spot->ns += ns;
    spot->n++;
    spot->longest_ns = ns > spot->longest_ns ? ns : spot->longest_ns;
}

static void take_switch(struct wait_spots *spots, struct moment *moment,
                        const struct perf_event_header *record)
{
    struct perf_ids ids;
    bool out = record->misc & PERF_RECORD_MISC_SWITCH_OUT;
    if (!perf_record_ids(record, &ids))
        return;
    if (!out && moment->waits && moment->node != STACK_NONE)
        spots_add(spots, moment->node, moment->runnable, ids.time_ns - moment->since_ns);
    moment->waits = out;
    moment->runnable = record->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
    moment->since_ns = ids.time_ns;
    if (!out)
        moment->node = STACK_NONE;
}

static void ring_take(struct wait_spots *spots, struct perf_ring *ring, struct samples *stacks)
{
    struct moment moment = {.node = STACK_NONE};
    const struct perf_event_header *record;
    perf_ring_refresh(ring);
    while ((record = perf_ring_peek(ring))) {
        struct perf_sample sample;
        if (record->type == PERF_RECORD_SWITCH)
            take_switch(spots, &moment, record);
        else if (record->type == PERF_RECORD_SAMPLE &&
                 perf_record_sample(record, true, true, &sample))
            moment.node = samples_node(stacks, &sample);
        else /* some are missing */
            moment = (struct moment){.node = STACK_NONE};
        perf_ring_skip(ring, record);
    }
}

bool wait_slice_take(struct wait_spots *spots, const struct perf_event_attr *waiter, uint32_t tid,
                     struct samples *stacks)
{
    struct perf_event_attr attr = *waiter;
    struct perf_ring ring = {0};
    const struct timespec slice = {.tv_nsec = SLICE_NS};
    attr.inherit = attr.enable_on_exec = 0;
    attr.context_switch = 1;
    attr.sample_stack_user = STACK_BYTES;
    spots->n = 0;
    AUTO(fd_close) int fd = perf_open(&attr, (int)tid, -1);
    if (fd < 0 || !perf_ring_map(&ring, fd, RING_BYTES))
        return false;
    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
    nanosleep(&slice, NULL);
    ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
    ring_take(spots, &ring, stacks);
    perf_ring_unmap(&ring);
    return spots->n;
}
