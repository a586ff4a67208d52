/* CPU time, known exactly from context switches, and the samples that share it.
 *
 * A sampling clock starts anew in every thread, or is inherited from one that waits by the one it
 * waits for: short threads are sampled too seldom or too often. So samples do not weigh what the
 * clock says, but share the CPU time that was really used. A life is a thread under one name. The
 * samples of a long life share its own time. Short lives, and those without a sample, are pooled by
 * name: the samples of a pool share the time of all of it.
 *
 * Samples wait here until they are settled. Time without any sample waits longer; if none ever
 * comes, it is counted as lost. */
#pragma once

#include "base/map.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

struct profile;
struct totals;

/* Samples that share a time. Index 0: user mode, 1: kernel. */
struct stratum {
    uint64_t on_ns;
    uint64_t weight[2];
    uint64_t dealt;     /* of the weight: settled */
    uint64_t got_ns[2]; /* by settled samples */
};

#define POOL_NONE UINT32_MAX
#define LIFE_NONE UINT32_MAX

struct life {
    uint32_t pid, tid;
    char name[16];
    bool ended, settled;
    bool walked;         /* an agent samples it, and tells its times */
    uint32_t pool;       /* while settling */
    uint64_t all_ns;     /* CPU time so far */
    struct stratum part; /* not settled yet */
};

struct lives_sample {
    uint32_t life, node;      /* STACK_NONE: the sample only divides time */
    uint64_t weight, time_ns; /* when: CLOCK_MONOTONIC */
    uint32_t cpu;
    uint8_t group;
    bool kernel;
};

/* A thread that an agent samples: its time as switches have it, and as the agent told it. */
struct walked_times {
    uint64_t user_ns, kernel_ns, told_ns;
};

struct lives {
    struct profile *profile; /* gets weights and times of threads */
    struct totals *totals;   /* get times and losses; the profile's own unless set otherwise */
    uint64_t unix_ns;        /* less CLOCK_MONOTONIC */
    bool measured;           /* weights are time, and switches are recorded */
    /* The profile is one of walks: weights in user mode are part of its samples of time. */
    bool beside;
    bool only[2];      /* all samples are of this mode: the rest of the time is the other's */
    uint64_t short_ns; /* a shorter life is pooled */
    uint64_t rest[2];  /* user and kernel part of time without samples; 0: as in samples */
    VEC(struct life);
    struct lives_samples {
        VEC(struct lives_sample);
    } samples;
    struct map walked_keys; /* struct walked_key: index i owns walked.at[i] */
    struct walked_times_list {
        VEC(struct walked_times);
    } walked;
    struct map pool_keys; /* names */
    struct pools {
        VEC(struct stratum);
    } pools;
    uint64_t weight[2]; /* settled so far */
};

void lives_init(struct lives *lives, struct profile *profile);
void lives_release(struct lives *lives);

/* Returns the number of a new life, valid until lives_settle. */
uint32_t lives_add(struct lives *lives, uint32_t pid, uint32_t tid, const char *name);
/* The next life of the same thread. Its clock runs on under the new name, so the first sample
 * stands for earlier time, too. `life`: LIFE_NONE if there was none. */
uint32_t lives_rename(struct lives *lives, uint32_t life, uint32_t pid, uint32_t tid,
                      const char *name);
/* An agent has put so much time of the thread into the profile. */
void lives_told(struct lives *lives, uint32_t pid, uint32_t tid, const char *name, uint64_t ns);
/* At the end: an agent knows nothing of a thread's time before it came, and after its last sample.
 * What switches know of more goes into the profile, too. `all_ns`: CPU time of all, as the kernel
 * counted it; `switched_ns`: as switches have it. */
void lives_rest(struct lives *lives, uint64_t all_ns, uint64_t switched_ns);
void lives_sample(struct lives *lives, const struct lives_sample *sample);

/* Gives all samples their weights. Numbers change: `moved` gets the new one of every life that
 * continues. `last`: nothing will follow. */
void lives_settle(struct lives *lives, bool last,
                  void (*moved)(void *closure, const struct life *life, uint32_t number),
                  void *closure);
