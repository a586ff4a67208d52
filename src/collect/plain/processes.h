/* The processes of a recording and what each has mapped.
 *
 * Fed with the kernel's records in the order of their time: a child starts with what its parent
 * had, a new program with nothing. A process that was there before is looked up in /proc when first
 * met. */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "collect/plain/files.h"
#include "process/mappings.h"
#include "collect/stacks/stack_past.h"

#include <stdbool.h>
#include <stdint.h>

struct perf_mapping;
struct perf_task;
struct profile;

struct process {
    uint32_t pid;
    bool jit;         /* has code of its own making */
    uint32_t threads; /* that are there; 0: not known, or none */
    struct mappings mappings;
    struct stack_past past; /* of its threads */
};

struct processes {
    struct profile *profile;
    struct files files;
    struct map pids; /* the latest of each number */
    VEC(struct process *);
    uint32_t seen; /* processes, counting those that took another's number */
};

void processes_init(struct processes *processes, struct profile *profile);
void processes_release(struct processes *processes);

/* Never NULL; pointers stay good. */
struct process *processes_get(struct processes *processes, uint32_t pid);

void processes_map(struct processes *processes, const struct perf_mapping *mapping);
void processes_fork(struct processes *processes, const struct perf_task *task);
/* A thread has ended; with its last one goes what the process had mapped. */
void processes_exit(struct processes *processes, const struct perf_task *task);
/* Became another program. */
void processes_exec(struct processes *processes, uint32_t pid);
