/* All waits of one thread during about a millisecond, for threads that wait too often to be met by
 * looks, and for whom the kernel's switches cost too much all the time. */
#pragma once

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

struct perf_event_attr;
struct samples;

/* Waits at one place. */
struct wait_spot {
    uint32_t node;
    bool runnable;
    uint64_t ns, n, longest_ns;
};

struct wait_spots {
    VEC(struct wait_spot);
};

/* Watches the thread. False: it was refused, or no wait began and ended. `waiter`: of the request
 * (perf_request.h). Nodes are made by `stacks`. */
bool wait_slice_take(struct wait_spots *spots, const struct perf_event_attr *waiter, uint32_t tid,
                     struct samples *stacks);
