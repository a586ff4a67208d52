/* What samples are estimates of, counted: of every instruction of a program how often it was fetched, retired and missed, how long it was in progress, and how many useful
 * instructions issued meanwhile.
 *
 * In progress is from fetch until it could retire; instructions that were thrown away count as far as they came. Useful is what retires. Slots of
 * issue that were wasted while one was in progress are width * in_progress - overlap.
 *
 * One pass: how many issued before a cycle is known once fetch has come to it, for whatever is fetched later issues later. Those that wait for that are in a queue. */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "pmu/step.h"

struct exact_row {
    uint64_t fetched, retired;
    uint64_t l1d_misses, mispredicts; /* of those that retired */
    uint64_t in_progress;             /* cycles */
    uint64_t overlap;                 /* instructions */
};

struct exact_pending {
    uint64_t fetch, done;
    uint32_t row;
    bool self; /* it counts among those that issued */
};

/* Cycles between the oldest fetch that waits and the latest issue that is known: chains of misses as long as the reorder buffer. */
enum { EXACT_CYCLES = 1 << 18 };

struct exact {
    struct map places; /* of uint64_t, addresses; index i is of at[i] */
    VEC(struct exact_row);
    struct {
        VEC(struct exact_pending);
        size_t head;
    } pending;
    uint64_t settled; /* before[] is known up to here */
    uint64_t issued;  /* before that */
    uint64_t *before; /* instructions that issued before a cycle */
    uint32_t *issues; /* in a cycle that is not settled yet */
    uint64_t fetched, retired, last_retire;
    uint64_t lost; /* too long in flight to be counted; 0, or overlap is not exact */
};

void exact_init(struct exact *exact);
void exact_release(struct exact *exact);
void exact_see(struct exact *exact, const struct pmu_step *step);
/* The end: all that waits is counted. */
void exact_finish(struct exact *exact);
/* NULL: it was never fetched. */
const struct exact_row *exact_find(const struct exact *exact, struct avma at);
