/* Who reads the whole course of a program, exit by exit (--exact=trace): counters, checkers,
 * compressors, models of cores, files.
 *
 * A consumer belongs to one process, whose units tell what each exit is: which superblock was left,
 * and after which of its segments. It gets each thread's course in order, in passages; those of
 * different threads in any order. Every id in a passage is below the number of exits that units has
 * claimed; that an id is nobody's exit, or cannot follow the one before, is for the consumer to
 * see.
 *
 * The program waits for its consumers: an exit should cost them no more than a few ns. What a
 * passage points to is good until `exits` returns. */
#pragma once

#include "process/units.h"

#include <stdbool.h>
#include <stdint.h>

struct passage {
    uint32_t thread;           /* counts up from 0: threads of the process as they come */
    uint64_t tsc;              /* when it was written */
    uint64_t start_pc, end_pc; /* avma where it begins; to which its last exit led, 0: not known */
    bool joined;               /* it begins where the thread's last passage ended */
    uint32_t n;                /* exits, at least one */
    const uint32_t *exits;
    uint64_t n_payload; /* words of what exits recorded besides (wire/payload.h) */
    const uint64_t *payload;
};

struct consumer;

struct consumer_kind {
    void (*begin)(struct consumer *consumer, uint32_t thread, int32_t tid);
    void (*exits)(struct consumer *consumer, const struct passage *passage);
    /* Of a thread: nothing more will come. `stop`: enum loss, why; or LOSS_N, it ended. */
    void (*end)(struct consumer *consumer, uint32_t thread, uint32_t stop);
};

/* The first member of each. */
struct consumer {
    const struct consumer_kind *kind;
    const struct units *units;
};
