/* Waits without the kernel's events: now and then a look at all threads, by /proc.
 *
 * schedstat says how long a thread has run, how long it could have and how often, since it began;
 * the rest of the time it blocked. So times are exact. The stack of a thread that is blocked at a
 * look (blocked.h) stands for all the time that it blocked since the last stack. A look costs some
 * 20 us for a thread. Threads that wait hundreds of times between two looks are hardly ever met;
 * they are watched for a moment (wait_slice.h), if the kernel grants that. */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "collect/kernel/processes.h"
#include "collect/kernel/samples.h"
#include "collect/kernel/tasks.h"
#include "collect/kernel/wait_slice.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stdint.h>

/* What schedstat says of a thread. */
struct look_times {
    uint64_t run_ns, runnable_ns, slices;
};

/* A thread as it was at the last look. */
struct look_thread {
    uint32_t pid, tid;
    uint64_t round;           /* of looks: older ones have ended */
    uint64_t at_ns, since_ns; /* since_ns: from then on at least the wait lasts */
    struct look_times times;
    uint64_t blocked_ns, runnable_ns, waits; /* whose stack is not known yet */
    uint64_t often;                          /* waits since the look before */
    uint64_t off_ns;                         /* not told yet */
    char name[16];
};

struct looks {
    struct profile *profile;
    const struct perf_event_attr *waiter; /* NULL: not granted */
    struct wait_spots spots;              /* of the last slice */
    uint32_t heavy, heavy_before; /* threads that wait often, in this look and the one before */
    bool on;
    uint64_t next_ns;                    /* when the next look is due */
    uint64_t began_ns, rounds, stacks_n; /* so far */
    uint64_t off_ns;                     /* not told yet */
    struct map pids;                     /* to look at */
    struct map own;                      /* threads that are not */
    struct map tids;                     /* index i owns at[i] */
    VEC(struct look_thread);
    struct processes processes;
    struct tasks tasks; /* none: samples want one */
    struct samples stacks;
    struct totals losses; /* of those stacks: nobody looks at them */
};

void looks_init(struct looks *looks, struct profile *profile);
void looks_release(struct looks *looks);

/* `waiter`: of the request, if it is granted; else NULL. */
void looks_start(struct looks *looks, const struct perf_event_attr *waiter, uint64_t now_ns);
void looks_process(struct looks *looks, uint32_t pid);
/* Looks, if it is on and time for it. */
void looks_take(struct looks *looks, uint64_t now_ns);
/* Time that threads were off CPUs, since the last call. `last`: waits without a stack are told.
 * `times`: the threads' rows in the profile get it, too. */
uint64_t looks_tell(struct looks *looks, bool last, bool times);
/* The profile's stacks were emptied. */
void looks_forget(struct looks *looks);
