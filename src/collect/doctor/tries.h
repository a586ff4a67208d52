/* What gait needs of a kernel, each tried for real: opened, run for a moment, and checked. An event
 * that opens may not count; a clock that is granted may never tick. */
#pragma once

#include "collect/doctor/attempt.h"

#include <linux/perf_event.h>

#define TRIES(TRY)                                                                                 \
    TRY(memfd, "shared memory (memfd_create)")                                                     \
    TRY(ptrace, "ptrace of a child")                                                               \
    TRY(perf, "perf_event_open, the most modest event")                                            \
    TRY(sigtrap, "perf clock that raises SIGTRAP")                                                 \
    TRY(timer, "CPU-time timer")                                                                   \
    TRY(samples, "perf clock into a ring buffer")                                                  \
    TRY(stacks, "user registers and stack with each sample")                                       \
    TRY(switches, "context switch records")                                                        \
    TRY(kernel, "samples in the kernel")                                                           \
    TRY(other, "sampling another process of the same user")                                        \
    TRY(everything, "sampling a whole processor")                                                  \
    TRY(cycles, "hardware cycles")                                                                 \
    TRY(instructions, "hardware instructions")                                                     \
    TRY(branches, "branch records (LBR) with samples")

enum try {
#define TRY_ENUM(name, text) TRY_##name,
    TRIES(TRY_ENUM)
#undef TRY_ENUM
        TRY_N
};

/* value: of the timer, ns of CPU time between the shortest delay and its signal. */
struct attempt_outcome try_run(enum try which);

/* Whether an event can be opened: for a process or, with a cpu, for all that it runs. */
struct attempt_outcome try_event(const struct perf_event_attr *attr, int cpu);
