/* Counts a trace: how often each exit was taken, and the targets of indirect jumps and calls. From
 * these it makes the counters that --exact=counts would have, so the profile is the same (exact.h).
 *
 * An exit costs one counter; the rest is done for a reading. Superblocks that were cut in the
 * middle have no exit: they count as entered, and exact.h subtracts what did not run. */
#pragma once

#include "base/vec.h"
#include "consumers/consumer.h"
#include "consumers/exact.h"

/* What arrivals, and indirect jumps and calls, need besides counters. */
struct trace_turn {
    uint64_t start;   /* avma of the exit's superblock; 0: nobody's exit */
    uint64_t last_to; /* its last target */
    uint32_t last_pair;
};

struct trace_count {
    struct consumer consumer;
    struct units *units; /* gets pairs; the tool numbers its counters */
    /* by exit id; separate arrays, so that entries are small */
    struct trace_counts {
        VEC(uint64_t);
    } counts;
    struct {
        VEC(uint8_t);
    } indirect; /* 1: an indirect jump or call */
    struct {
        VEC(struct trace_turn);
    } turns;
    size_t followed; /* superblocks that these have */
    struct trace_pair_slot {
        uint64_t to;
        uint32_t exit;
        uint32_t pair; /* index + 1, 0 is free */
    } * slots;         /* hash table of pairs */
    uint32_t n_slots;
    struct trace_counts pairs;    /* as units->pairs */
    struct trace_counts counters; /* the latest reading */
    struct {
        VEC(uint32_t);
    } turned;        /* positions of indirect exits in a passage */
    uint64_t passed; /* exits in all */
};

void trace_count_init(struct trace_count *count, struct units *units);
void trace_count_release(struct trace_count *count);

/* Valid until the next call. */
struct exact_reading trace_count_reading(struct trace_count *count, bool last);
