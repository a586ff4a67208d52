/* What samples are estimates of, counted: of every instruction of a program how often it was
 * fetched, retired and missed, how long it was in progress, and how many useful instructions issued
 * meanwhile.
 *
 * In progress is from fetch until it could retire; instructions that were thrown away count as far
 * as they came. Useful is what retires. Slots of issue that were wasted while one was in progress
 * are width * in_progress - overlap. model/replay/account.h has the same, but for when a load is
 * issued: there when it goes to the cache, here as records have it, when what it loads is there and
 * the rest of the instruction goes on. Latencies are the same, and overlaps of loops agree; single
 * ones differ by who is issued in between.
 *
 * One pass: how many issued before a cycle is known once fetch has come to it, for whatever is
 * fetched later issues later. Those that wait for that are in a queue. */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "model/pmu/step.h"

struct truth_row {
    uint64_t fetched, retired;
    uint64_t l1d_misses, mispredicts; /* of those that retired */
    uint64_t in_progress;             /* cycles */
    uint64_t overlap;                 /* instructions */
};

struct truth_pending {
    uint64_t fetch, done;
    uint32_t row;
    bool self; /* it counts among those that issued */
};

/* Cycles between the oldest fetch that waits and the latest issue that is known: chains of misses
 * as long as the reorder buffer. */
enum { TRUTH_CYCLES = 1 << 18 };

struct truth {
    struct map places; /* of uint64_t, addresses; index i is of at[i] */
    VEC(struct truth_row);
    struct {
        VEC(struct truth_pending);
        size_t head;
    } pending;
    uint64_t settled; /* before[] is known up to here */
    uint64_t issued;  /* before that */
    uint64_t *before; /* instructions that issued before a cycle */
    uint32_t *issues; /* in a cycle that is not settled yet */
    uint64_t fetched, retired, last_retire;
    uint64_t lost; /* too long in flight to be counted; 0, or overlap is not exact */
};

void truth_init(struct truth *truth);
void truth_release(struct truth *truth);
void truth_see(struct truth *truth, const struct pmu_step *step);
/* The end: all that waits is counted. */
void truth_finish(struct truth *truth);
/* NULL: it was never fetched. */
const struct truth_row *truth_find(const struct truth *truth, struct avma at);
