/* The threads of a recording and the time each used: on a CPU, by its switches, split into user and
 * kernel time by its samples (lives.h); off it, whenever it was there and not on one.
 *
 * The profile is told in parts: what is new since the last time. */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "collect/plain/lives.h"

#include <stdbool.h>
#include <stdint.h>

struct perf_ids;
struct perf_name;
struct perf_task;
struct profile;

struct task {
    uint32_t pid, tid;
    char name[16];
    bool ended, on;    /* on: a CPU */
    bool unknown;      /* whether it is, until a record of it says so */
    uint32_t life;     /* of lives; of no meaning once it has ended */
    uint64_t since_ns; /* accounted up to here */
    /* not told yet */
    uint64_t off_ns, switches;
};

struct tasks {
    struct profile *profile;
    struct map tids; /* the latest of each number */
    VEC(struct task);
    struct lives lives;
    uint32_t own_pid;  /* of whose time nothing is told */
    bool one_by_one;   /* threads are followed, not CPUs */
    bool switches;     /* are told: else nothing is known of time */
    uint64_t began_ns; /* accounting starts here; UINT64_MAX: not known yet */
};

void tasks_init(struct tasks *tasks, struct profile *profile);
void tasks_release(struct tasks *tasks);

/* Never NULL; one that was not known is taken to be there since `now_ns`. Good until the next call.
 */
struct task *tasks_get(struct tasks *tasks, uint32_t pid, uint32_t tid, uint64_t now_ns);

/* From here on no time of it is told. */
void tasks_forget(struct tasks *tasks, uint32_t tid);

void tasks_fork(struct tasks *tasks, const struct perf_task *fork);
void tasks_exit(struct tasks *tasks, const struct perf_task *exit);
void tasks_name(struct tasks *tasks, const struct perf_name *name);
void tasks_switch(struct tasks *tasks, const struct perf_ids *ids, bool out);
/* Met on a CPU, at that node of the profile's stacks. */
void tasks_sample(struct tasks *tasks, const struct perf_ids *ids, uint32_t node, uint32_t group,
                  uint64_t weight, bool kernel);

/* Adds to the profile what is new by `now_ns`: times of threads, and the weights of samples, whose
 * nodes are needed no more. `last`: nothing will come any more. */
void tasks_tell(struct tasks *tasks, uint64_t now_ns, bool last);
