/* The processes of a recording and their mappings.
 *
 * Records of the kernel come in time order. A child starts with its parent's mappings, a new
 * program with none. A process from before the recording is looked up in /proc when first met. */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "collect/kernel/files.h"
#include "process/mappings.h"
#include "collect/stacks/stack_past.h"

#include <stdbool.h>
#include <stdint.h>

struct perf_mapping;
struct perf_task;
struct profile;

struct process {
    uint32_t pid;
    bool jit;         /* has JIT code */
    bool walked;      /* has an agent: its user time is sampled by that */
    uint64_t bare;    /* samples in user mode since it has no agent */
    uint32_t threads; /* running; 0: not known, or none */
    struct mappings mappings;
    struct stack_past past; /* of its threads */
};

struct processes {
    struct profile *profile;
    struct files files;
    struct map pids; /* the latest process of each pid */
    VEC(struct process *);
    uint32_t seen; /* processes, reused pids included */
};

void processes_init(struct processes *processes, struct profile *profile);
void processes_release(struct processes *processes);

/* Never NULL; pointers stay valid. */
struct process *processes_get(struct processes *processes, uint32_t pid);

/* Adds mappings that /proc has now. */
void processes_reread(struct processes *processes, uint32_t pid, bool walked);
void processes_map(struct processes *processes, const struct perf_mapping *mapping);
void processes_fork(struct processes *processes, const struct perf_task *task);
/* A thread has ended; the last one ends the mappings. */
void processes_exit(struct processes *processes, const struct perf_task *task);
void processes_exec(struct processes *processes, uint32_t pid);
