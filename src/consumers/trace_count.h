/* Counts a traced program: how often each exit was taken, and where indirect jumps and calls went.
 * The counters that --exact=counts would have, made of these, give the same profile (exact.h).
 *
 * An exit costs a counter; the rest is done when a reading is asked for. Superblocks that were cut
 * in their middle have no exit: they are counted as entered, and exact.h takes off what did not
 * run. */
#pragma once

#include "base/vec.h"
#include "consumers/consumer.h"
#include "consumers/exact.h"

/* What an indirect jump or call needs beside its counter, and whoever arrives. */
struct trace_turn {
    uint64_t start;   /* avma of the exit's superblock; 0: nobody's exit */
    uint64_t last_to; /* where it went the last time */
    uint32_t last_pair;
};

struct trace_count {
    struct consumer consumer;
    struct units *units; /* gets pairs; numbers its counters itself */
    /* by exit id; apart, so that what every exit needs is small */
    struct trace_counts {
        VEC(uint64_t);
    } counts;
    struct {
        VEC(uint8_t);
    } indirect; /* 1: an indirect jump or call */
    struct {
        VEC(struct trace_turn);
    } turns;
    size_t followed; /* superblocks of units that these know */
    struct trace_pair_slot {
        uint64_t to;
        uint32_t exit;
        uint32_t pair; /* index + 1, 0 is free */
    } * slots;         /* finds pairs */
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

/* As of now; good until the next. */
struct exact_reading trace_count_reading(struct trace_count *count, bool last);
