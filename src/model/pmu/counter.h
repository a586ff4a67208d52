/* A counter of events that interrupts when it overflows: what processors have instead of ProfileMe,
 * with what is wrong with it.
 *
 * Skid: the interrupt is taken so many cycles after the event, at an edge between groups that
 * retire together; the program counter that it sees is that of the oldest instruction that has not
 * retired then. All else follows from that: long ones collect the samples of others (aggregation),
 * those behind them get too few (shadow), those in the middle of a group none, and a fixed period
 * keeps step with loops, by way of the skid even if it is no multiple of their length
 * (synchronisation). The counter stands still from its overflow to the interrupt.
 *
 * Precise (PEBS): so many cycles after the overflow hardware is armed, and the next event leaves
 * the address behind its instruction. What follows an overflow closely, in the same burst, is never
 * seen.
 *
 * Interrupts can be held off in a range of code; whoever runs behind it then gets the samples.
 * Events are counted in program order, which is that of time for all that counts at retirement;
 * caches count when they are asked, by instructions that are thrown away, too. */
#pragma once

#include "model/pmu/step.h"
#include "compress/random.h"

enum counter_event {
    COUNTER_CYCLES,
    COUNTER_RETIRED, /* instructions */
    COUNTER_BRANCHES,
    COUNTER_MISPREDICTS,
    COUNTER_LOADS, /* that ask the first cache */
    COUNTER_L1D_MISSES,
    COUNTER_DTLB_MISSES,
    COUNTER_L2_MISSES, /* of loads, likewise */
    COUNTER_L3_MISSES,
    COUNTER_L1I_MISSES,
    COUNTER_IDLE_CYCLES, /* in which nothing retires */
    COUNTER_BUSY_CYCLES, /* in which COUNTER_BUSY or more retire */
};

enum { COUNTER_BUSY = 4 };

struct counter_setup {
    enum counter_event event;
    uint64_t period;                /* at least 1 */
    uint64_t spread;                /* periods are drawn this much around it; less than it */
    uint64_t mask;                  /* or, if not 0: period + (random & mask), as perfmon does */
    uint32_t skid_least, skid_most; /* cycles, each as likely */
    bool precise;
    uint32_t arming;        /* cycles, of precise ones */
    struct avma held_begin; /* no interrupt before an instruction in here */
    struct avma held_end;
    uint64_t seed;
};

enum { COUNTER_RING = 1024 }; /* more than any core has in flight */

struct counter {
    struct counter_setup setup;
    struct random random;
    uint64_t left; /* events to the overflow */
    uint64_t from; /* events up to here do not count any more */
    uint64_t
        due; /* of the interrupt, or when hardware is armed; UINT64_MAX: nothing has overflown */
    struct avma cause;  /* whose event it was */
    uint64_t overflows; /* so far */
    struct counter_retired {
        uint64_t at, retire;
    } ring[COUNTER_RING];
    uint64_t retired;
    uint64_t last_retire; /* 0: nothing has retired yet */
    uint32_t group;       /* retired in that cycle */
    void (*sample)(void *context, struct avma at, struct avma cause);
    void *context;
};

/* sample: `at` is what is told, `cause` where the event was (of cycles: the same). */
void counter_init(struct counter *counter, const struct counter_setup *setup,
                  void (*sample)(void *context, struct avma at, struct avma cause), void *context);
void counter_see(struct counter *counter, const struct pmu_step *step);
