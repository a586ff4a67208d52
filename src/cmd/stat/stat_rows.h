/* What gait stat prints: one row for each figure, over all runs. */
#pragma once

#include "analysis/counts/estimate.h"

#include <stdbool.h>
#include <stdio.h>

/* X(ident, key, name): in the order of the output. Keys are those of JSON. */
#define STAT_ROWS(X)                                                                               \
    X(ELAPSED, "elapsed", "s elapsed")                                                             \
    X(CPU, "cpu_time", "s of CPU time")                                                            \
    X(USER, "user_time", "s in user mode")                                                         \
    X(KERNEL, "kernel_time", "s in the kernel")                                                    \
    X(CPUS, "cpus", "CPUs used")                                                                   \
    X(PROCESSES, "processes", "processes")                                                         \
    X(THREADS, "threads", "threads")                                                               \
    X(INSTRUCTIONS, "instructions", "instructions in user mode")                                   \
    X(PER_TICK, "per_tick", "instructions per tick of the time stamp counter")                     \
    X(BRANCHES, "branches", "branches")                                                            \
    X(CONDITIONAL, "conditional", "conditional branches")                                          \
    X(TAKEN, "taken", "taken branches")                                                            \
    X(MISPREDICTED, "mispredicted", "mispredicted branches")                                       \
    X(L1D, "l1d_misses", "misses in the first-level data cache")                                   \
    X(L2, "l2_misses", "misses in the second-level cache")                                         \
    X(L3, "l3_misses", "misses in the third-level cache")                                          \
    X(SYSCALLS, "system_calls", "system calls")                                                    \
    X(MINOR, "minor_faults", "minor page faults")                                                  \
    X(MAJOR, "major_faults", "major page faults")                                                  \
    X(VOLUNTARY, "voluntary_switches", "voluntary context switches")                               \
    X(INVOLUNTARY, "involuntary_switches", "involuntary context switches")                         \
    X(RSS, "max_rss", "KiB of memory at most (resident)")

enum stat_row {
#define X(ident, key, name) STAT_##ident,
    STAT_ROWS(X)
#undef X
        STAT_N
};

struct run_sums;
struct recording;

/* One run. */
struct stat_run {
    struct estimate at[STAT_N];
};
void stat_run_fill(struct stat_run *run, const struct recording *recording,
                   const struct run_sums *sums);

/* All of them. */
struct stat_result {
    const char *command;
    bool exact;
    bool whole; /* of exact runs: all was counted */
    uint32_t runs;
    struct stat_run mean;  /* over runs, with intervals */
    double spread[STAT_N]; /* standard deviation of a run; NaN: one run, or unknown */
    double overhead;       /* per cent, as measured; NaN: not known */
    char core[64];         /* of the model; "": none */
    bool addressed;
};
/* Adds up n runs. */
void stat_result_fill(struct stat_result *result, const struct stat_run *runs, uint32_t n);

void stat_text(FILE *to, const struct stat_result *result);
void stat_json(FILE *to, const struct stat_result *result);
