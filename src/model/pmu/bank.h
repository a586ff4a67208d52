/* The counters that one core has at once: those of Chen et al., Table 1, and of the stalls that
 * explain them. Each counts an event of its own and interrupts when it overflows (counter.h).
 *
 * The period of a counter is a prime, plus a random number below a power of two that is a third of
 * it (202001 + (rand() & 0xffff) in the paper). Precise counters have fixed periods: hardware that
 * writes records by itself draws no numbers. Rare events have shorter periods. */
#pragma once

#include "model/pmu/counter.h"

struct model;

enum {
    BANK_COUNTERS = 10,
    BANK_SKID = 30, /* cycles, as on the paper's machine */
    BANK_ARMING = 3
};

/* One event: what a profile calls it, and how it is counted. */
struct bank_event {
    const char *name;
    enum counter_event event;
    bool precise;
    uint32_t part; /* its period is that of the bank divided by this */
};

extern const struct bank_event bank_events[BANK_COUNTERS];

/* The smallest prime that is not below n. */
uint64_t bank_prime(uint64_t n);
/* The mean period of an event, for a bank of that period. */
uint64_t bank_period(const struct bank_event *event, uint64_t period);
/* How long the core waits for one such event if nothing else runs meanwhile; 0: it is no event of a
 * stall. Levels of caches add up: what misses the third has missed the second too. */
uint32_t bank_stall(const struct bank_event *event, const struct model *model);

struct bank_counter {
    struct bank *bank;
    struct counter counter;
};

struct bank {
    struct bank_counter counters[BANK_COUNTERS];
    void (*sample)(void *context, const struct bank_event *event, struct avma at);
    void *context;
};

/* The bank must stay where it is. */
void bank_init(struct bank *bank, uint64_t period, uint64_t seed,
               void (*sample)(void *context, const struct bank_event *event, struct avma at),
               void *context);
void bank_see(struct bank *bank, const struct pmu_step *step);
