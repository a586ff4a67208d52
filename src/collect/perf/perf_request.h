/* What the kernel is asked to count and to tell, and what of it was granted.
 *
 * Two events: the tracker says who starts and ends, what is mapped and who is on a CPU; the sampler
 * interrupts. They are apart because sampling may begin late and pauses now and then, and what is
 * mapped meanwhile must not be missed. */
#pragma once

#include "collect/perf/perf_names.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

struct err;

struct perf_wish {
    const char *event; /* NULL: CPU time */
    uint32_t hz;
    bool all_cpus; /* whoever runs on them, not a process */
};

struct perf_request {
    struct perf_event_attr tracker, sampler;
    struct perf_event_name event;
    bool clock;  /* periods are nanoseconds of CPU time */
    bool kernel; /* the kernel's part is sampled, too */
    uint64_t mean_period_ns;
    char refused[256]; /* what was asked for and not granted, why, and what would grant it; or "" */
};

/* Tries what is asked for and gives up, one by one, what the kernel refuses and a recording can do
 * without. False: nothing is left; the message names the setting that is in the way. */
bool perf_request_settle(struct perf_request *request, const struct perf_wish *wish,
                         struct err *err);

/* The descriptor of a new event, close-on-exec; -1 with errno. `pid` -1 is everybody, `cpu` -1 any.
 */
int perf_open(const struct perf_event_attr *attr, int pid, int cpu);

/* "kernel.perf_event_paranoid is 2", or that it cannot be read. */
const char *perf_paranoid_text(char *text, size_t room);
