/* What the kernel knows of a sampled recording and the agent does not: kernel frames, processes
 * without the agent, time off CPUs.
 *
 * A tracker and a sampler of the kernel follow all processes from the start, as in a plain
 * recording, but at a low rate: one sample costs as much as ten of the agent's. Samples in user
 * mode of a process with an agent only divide its time into user and kernel time. All others are
 * kept. So no time is counted twice.
 *
 * It costs interrupts and context switches of the program. Their estimated time is part of the
 * budget. Where switches alone would take half of it, they are not recorded any more; where new
 * threads would, nothing is. */
#pragma once

#include "collect/kernel/follow.h"
#include "collect/kernel/looks.h"
#include "collect/kernel/wait_pace.h"
#include "collect/perf/perf_events.h"
#include "profile/kernel_table.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct cpu_times;
struct err;
struct recording_options;
struct wire_thread;

struct kernel_part {
    const struct recording_options *options;
    bool on;   /* records are read */
    bool used; /* there is a request, and all that follows was set up */
    struct perf_request request;
    struct perf_events events;
    struct follow follow;
    struct wait_pace pace;        /* of waits, if the kernel grants them */
    struct looks looks;           /* at waits, if it does not, or no longer */
    struct map claims;            /* that were told */
    struct totals totals, told;   /* not in the profile yet, and what is */
    uint64_t user_ns, kernel_ns;  /* CPU time of all threads, so far */
    uint64_t cost_ns;             /* estimated, of the program's CPU time, so far */
    uint64_t sample_ns, hz;       /* cost of a sample; samples per CPU second */
    uint64_t began_ns, began_tsc; /* one moment */
    uint64_t ended_ns;            /* CLOCK_MONOTONIC: when it became too dear; 0: it did not */
    struct {
        bool on;          /* since then there are samples, and no switches */
        uint64_t cost_ns; /* until then, */
        uint64_t samples; /* and samples */
    } thin;
    struct kernel_table functions; /* of the kernel, of a run that is long enough */
    bool functions_sought;
    uint64_t maps_ns;  /* when perf maps are looked at next */
    char waited[256];  /* where waits came from until then */
    char refused[600]; /* why nothing, or not all of it, is recorded; or "" */
};

/* Asks for what the options want and the kernel grants. */
void kernel_part_open(struct kernel_part *part, const struct recording_options *options,
                      struct profile *profile);
void kernel_part_close(struct kernel_part *part);

/* Follows a program that is about to be executed: for struct launch. Never fails. */
bool kernel_part_ready(void *part, pid_t pid, struct err *err);
/* Follows running processes. */
void kernel_part_attach(struct kernel_part *part, const int *pids, size_t n);

/* The process has an agent since then; tid 0: else its agent samples the thread since then. May be
 * told again. */
void kernel_part_claim(struct kernel_part *part, int pid, int tid, uint64_t start_tsc);
/* So much CPU time of the thread is in the profile by its agent. */
void kernel_part_told(struct kernel_part *part, uint32_t pid, const struct wire_thread *slot,
                      uint64_t ns);
/* When it is to be read; UINT64_MAX: no matter. */
uint64_t kernel_part_due(const struct kernel_part *part);
/* Whether rings fill up: read soon. */
bool kernel_part_filling(const struct kernel_part *part);
/* Takes what the kernel has recorded. Agents must be known up to now. */
void kernel_part_read(struct kernel_part *part, bool last);
/* Whether it costs far more than it may, and is to end with the next kernel_part_give. */
bool kernel_part_dear(const struct kernel_part *part);
/* Whether it knows the CPU time of all processes. */
bool kernel_part_times(const struct kernel_part *part);
/* This thread of a recorded process is the agent's own. */
void kernel_part_own(struct kernel_part *part, int tid);

/* Adds what is new to the profile and its totals. `times`: of the whole program. */
void kernel_part_give(struct kernel_part *part, const struct cpu_times *times, bool last);
/* Adds all that was given so far. */
void kernel_part_sum(const struct kernel_part *part, struct totals *totals);
/* The profile was emptied. */
void kernel_part_forget(struct kernel_part *part);
