/* What the kernel is asked to record, and what it grants.
 *
 * The tracker reports starts, ends, mappings and context switches; the sampler interrupts. They are
 * separate because sampling may begin late and pauses now and then, and mappings must not be missed
 * meanwhile. A third event, the waiter, reports the stack of a thread that leaves its CPU. Other
 * events, if several were asked for, interrupt like the sampler, each by itself. */
#pragma once

#include "collect/perf/perf_names.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

struct err;

enum { PERF_OTHERS_MAX = 15 };
#define PERF_FIRST UINT32_MAX

struct perf_wish {
    const char *event; /* names, separated by commas; NULL: CPU time */
    uint32_t hz;
    bool all_cpus; /* all processes */
    bool beside;   /* it works without: messages do not say what else to do */
};

/* An event that is sampled beside the first. */
struct perf_other {
    struct perf_event_attr attr;
    struct perf_event_name event;
    bool clock; /* as in the request */
};

struct perf_request {
    struct perf_event_attr tracker, sampler, waiter;
    struct perf_event_name event;
    struct perf_other others[PERF_OTHERS_MAX];
    uint32_t n_others;
    /* Whose sample has the number of another tool's event (perf_name_shares), as it is not a
     * clock's or the hardware's: of the others, or PERF_FIRST. Where several may be, the first of
     * them. */
    uint32_t stranger;
    bool clock;  /* periods are nanoseconds of CPU time */
    bool kernel; /* kernel code is sampled, too */
    bool waits;  /* the waiter is granted */
    bool beside; /* as wished */
    uint64_t mean_period_ns;
    char refused[256]; /* what was refused, why, and what would grant it; or "" */
};

/* Tries the request, and drops refused features one by one, as long as a recording works without
 * them. False: nothing is left; the message names the setting that forbids it. */
bool perf_request_settle(struct perf_request *request, const struct perf_wish *wish,
                         struct err *err);

/* The same of the processor's branch records (LBR, BRS) in user mode: samples have the last taken
 * branches, no registers and no stack; periods are taken branches. `bare`: they have no branches
 * either, and come by CPU time, as on any machine. */
bool perf_request_branches(struct perf_request *request, const struct perf_wish *wish, bool bare,
                           struct err *err);

/* Opens an event, close-on-exec; -1 with errno. `pid` -1: all, `cpu` -1: any. */
int perf_open(const struct perf_event_attr *attr, int pid, int cpu);

/* "kernel.perf_event_paranoid is 2", or that it cannot be read. */
const char *perf_paranoid_text(char *text, size_t room);
