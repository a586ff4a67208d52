/* Time on CPUs, which switches tell exactly, and the samples that speak for it.
 *
 * A clock starts anew in every thread, or goes over from one that waits to the one it waits for:
 * short threads are met too seldom or too often. So samples do not weigh what the clock says, but
 * share the time that was really used. A life is a thread under one name. The samples of a long
 * life share its own time. Short ones, and those without a sample, are pooled with others of their
 * name: the samples of the pool share the time of all of it.
 *
 * Samples wait here until they are settled; what has no sample to speak for it waits longer, and if
 * none comes at all, is counted as lost. */
#pragma once

#include "base/map.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

struct profile;

/* Samples that share a time. Index 0 is user mode, 1 the kernel. */
struct stratum {
    uint64_t on_ns;
    uint64_t weight[2];
    uint64_t dealt;     /* of the weight */
    uint64_t got_ns[2]; /* by samples */
};

#define POOL_NONE UINT32_MAX
#define LIFE_NONE UINT32_MAX

struct life {
    uint32_t pid, tid;
    char name[16];
    bool ended, settled;
    uint32_t pool;       /* while settling */
    uint64_t all_ns;     /* on CPUs, so far */
    struct stratum part; /* not told yet */
};

struct lives_sample {
    uint32_t life, node;
    uint64_t weight;
    uint8_t group;
    bool kernel;
};

struct lives {
    struct profile *profile; /* gets weights, times of threads, totals and losses */
    bool measured;           /* weights are time, and time on CPUs is told */
    bool only[2];      /* samples are of this mode only: the rest of the time is the other's */
    uint64_t short_ns; /* a life of less is short */
    uint64_t rest[2];  /* how time without any sample divides, or 0: as samples do */
    VEC(struct life);
    struct lives_samples {
        VEC(struct lives_sample);
    } samples;
    struct map pool_keys; /* names */
    struct pools {
        VEC(struct stratum);
    } pools;
    uint64_t weight[2]; /* settled so far */
};

void lives_init(struct lives *lives, struct profile *profile);
void lives_release(struct lives *lives);

/* The number of a new life; good until lives are settled. */
uint32_t lives_add(struct lives *lives, uint32_t pid, uint32_t tid, const char *name);
/* The life that follows this one of the same thread. Clocks go on under a new name, so the first
 * sample speaks for what came before it, too. `life`: LIFE_NONE, there was none. */
uint32_t lives_rename(struct lives *lives, uint32_t life, uint32_t pid, uint32_t tid,
                      const char *name);
void lives_sample(struct lives *lives, uint32_t life, uint32_t node, uint32_t group,
                  uint64_t weight, bool kernel);

/* Gives all samples their weights. Numbers change: `moved` is told the new one of every life that
 * goes on. `last`: nothing will come any more. */
void lives_settle(struct lives *lives, bool last,
                  void (*moved)(void *closure, const struct life *life, uint32_t number),
                  void *closure);
