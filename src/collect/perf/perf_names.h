/* Names of events, as typed after -e, and their numbers in the kernel. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

enum { PERF_NAME_ROOM = 128 };

struct perf_event_name {
    char text[PERF_NAME_ROOM]; /* as typed */
    uint32_t type;
    uint64_t config, config1, config2;
    bool exclude_user, exclude_kernel;
};

/* The next name of a list that commas separate, but for those inside a PMU's slashes; *list is then
 * what follows it, "" at the end. */
bool perf_name_next(const char **list, char ret_name[PERF_NAME_ROOM], struct err *err);

/* NAME[:uk], where NAME is a software or hardware event, a cache event (L1-dcache-load-misses),
 * rHEX, a PMU's own (cpu/event=0x3c,umask=0/ or cpu/NAME/) or a tracepoint (sched:sched_switch). */
bool perf_name_parse(const char *text, struct perf_event_name *ret_event, struct err *err);

/* Whether it counts nanoseconds of CPU time. */
bool perf_name_is_clock(const struct perf_event_name *event);

/* Whether one occurrence may be sampled for both, by the kernel's software: it then gives both
 * samples the number of one of the two (Linux 6.18). */
bool perf_name_shares(const struct perf_event_name *a, const struct perf_event_name *b);

/* Names that are the same on all machines, by index; NULL: no more. */
const char *perf_name_known(size_t index);
