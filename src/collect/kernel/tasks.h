/* The threads of a recording and their time: on a CPU, from context switches, split into user and
 * kernel time by samples (lives.h); off a CPU, the rest of their life.
 *
 * The profile gets what is new since the last call. */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "collect/kernel/lives.h"

#include <stdbool.h>
#include <stdint.h>

struct perf_ids;
struct perf_name;
struct perf_task;
struct profile;

struct task {
    uint32_t pid, tid;
    char name[16];
    bool ended, on;    /* on: on a CPU */
    bool unknown;      /* `on` is not known until a record says so */
    bool leaving;      /* it has ended, but a sample met it on its way out */
    bool walked;       /* an agent samples it */
    uint32_t cpu;      /* that it was met on last */
    uint32_t life;     /* in lives; void once it has ended */
    uint64_t since_ns; /* accounted up to here */
    /* Not in the profile yet. */
    uint64_t off_ns, switches;
};

struct tasks {
    struct profile *profile;
    struct map tids; /* the latest thread of each tid */
    VEC(struct task);
    struct cpu_tasks {
        VEC(uint32_t);
    } cpus; /* index plus 1 of the one that is on each CPU; 0: not known */
    struct lives lives;
    uint32_t own_pid;  /* of gait: its time is left out, */
    struct map own;    /* and that of these threads, by tid */
    bool one_by_one;   /* threads are followed, not CPUs */
    bool lossy;        /* records were lost, perhaps switches */
    bool switches;     /* are recorded: else no time is known */
    uint64_t began_ns; /* accounting starts here; UINT64_MAX: not known yet */
};

void tasks_init(struct tasks *tasks, struct profile *profile);
void tasks_release(struct tasks *tasks);

/* Never NULL; a new thread is assumed to exist since `now_ns`. Valid until the next call. */
struct task *tasks_get(struct tasks *tasks, uint32_t pid, uint32_t tid, uint64_t now_ns);

/* The kernel's word for a thread that has lost its number, and is still on a CPU. */
enum { TID_GONE = -1 };
/* The thread that a record means: that of the CPU, if it is gone. */
uint32_t tasks_tid(const struct tasks *tasks, const struct perf_ids *ids);

/* Whether it is one of gait's. */
bool tasks_own(const struct tasks *tasks, uint32_t pid, uint32_t tid);
/* From now on an agent samples it, or does so no longer. */
void task_walked(struct tasks *tasks, struct task *task, bool walked);

/* Its time is not accounted any more. */
void tasks_forget(struct tasks *tasks, uint32_t tid);

void tasks_fork(struct tasks *tasks, const struct perf_task *fork);
void tasks_exit(struct tasks *tasks, const struct perf_task *exit);
void tasks_name(struct tasks *tasks, const struct perf_name *name);
void tasks_switch(struct tasks *tasks, const struct perf_ids *ids, bool out);
/* A sample on a CPU, at that node of the profile's stacks. */
void tasks_sample(struct tasks *tasks, const struct perf_ids *ids, uint32_t node, uint32_t group,
                  uint64_t weight, bool kernel);

/* Adds what is new up to `now_ns` to the profile: times of threads, and weights of samples, whose
 * nodes are then not needed any more. `last`: nothing will follow. */
void tasks_tell(struct tasks *tasks, uint64_t now_ns, bool last);
