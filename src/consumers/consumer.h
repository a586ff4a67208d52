/* Consumers of traces (--exact=trace): counters, checkers, compressors, models of cores, files.
 * Windows have collect/windows/window_consumer.h.
 *
 * A consumer belongs to one process, whose units say which superblock each exit left, and after
 * which of its segments. It gets the exits of each thread in order, in passages; passages of
 * different threads come in any order. Every id in a passage is below the number of exits of the
 * units. The consumer must check that an id is an exit, and that it can follow the one before.
 *
 * The program waits for its consumers: an exit should cost a few ns at most. A passage is valid
 * until `exits` returns. */
#pragma once

#include "process/units.h"

#include <stdbool.h>
#include <stdint.h>

struct passage {
    uint32_t thread;           /* from 0: threads of the process in the order they appear */
    uint64_t tsc;              /* when it was written */
    uint64_t start_pc, end_pc; /* avma: its start, and the target of its last exit; 0: not known */
    bool joined;               /* it begins where the thread's last passage ended */
    uint32_t n;                /* exits, at least one */
    const uint32_t *exits;
    uint64_t n_payload; /* words that exits recorded (wire/payload.h) */
    const uint64_t *payload;
};

struct consumer;

struct consumer_kind {
    void (*begin)(struct consumer *consumer, uint32_t thread, int32_t tid);
    void (*exits)(struct consumer *consumer, const struct passage *passage);
    /* The thread has ended. `stop`: enum loss, why its trace ended early; LOSS_N: it did not. */
    void (*end)(struct consumer *consumer, uint32_t thread, uint32_t stop);
};

/* The first member of each. */
struct consumer {
    const struct consumer_kind *kind;
    const struct units *units;
};
