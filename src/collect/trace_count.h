/* Counts a traced program: how often each exit was taken, and where indirect jumps and calls went. The
 * counters that --exact=counts would have, made of these, give the same profile (exact.h).
 *
 * An exit costs a counter; the rest is done when a reading is asked for. Superblocks that were cut in
 * their middle have no exit: they are counted as entered, and exact.h takes off what did not run. */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "collect/consumer.h"
#include "collect/exact.h"

struct trace_count_exit {
    uint64_t n;
    uint64_t start;   /* avma of its superblock; 0: nobody's exit */
    uint64_t last_to; /* indirect jumps and calls: where it went the last time */
    uint32_t last_pair;
    bool indirect;
};

struct trace_count {
    struct consumer consumer;
    struct units *units; /* gets pairs; numbers its counters itself */
    struct {
        VEC(struct trace_count_exit);
    } exits;          /* by id */
    size_t followed;  /* superblocks of units that exits knows */
    struct map pairs; /* exit and target: index is that of units->pairs */
    struct {
        VEC(uint64_t);
    } pair_counts;
    struct {
        VEC(uint32_t);
    } turns; /* positions of indirect exits in a passage */
    struct {
        VEC(uint64_t);
    } counters;
    uint64_t passed; /* exits in all */
};

void trace_count_init(struct trace_count *count, struct units *units);
void trace_count_release(struct trace_count *count);

/* As of now; good until the next. */
struct exact_reading trace_count_reading(struct trace_count *count, bool last);
