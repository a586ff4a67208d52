/* Counters of sampled processes -> batches of the profile.
 *
 * Trails count what they execute (agent/sampling/trail.h), in counters as exact runs have them:
 * entries of a superblock and its taken conditional branches, and the targets of indirect branches.
 * Trails last equally long, so executions in them are to all executions as their time is to all
 * time. What was counted since the last reading becomes part of the open batch, so weighed.
 *
 * Returns have no counters: they are the entries behind a call that no direct exit and no indirect
 * branch explains. */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "collect/windows/expansion.h"

#include <stdbool.h>
#include <stdint.h>

struct batch;
struct channel;
struct event_walk;

/* An address at which superblocks begin or exits arrive. */
struct trail_place {
    struct place at;
    bool behind_call;
    int64_t unexplained; /* entries, less the arrivals that are known: of the current reading */
};

/* Where a superblock begins, and where its last branch falls through to; MAP_NONE: it has none. */
struct trail_block {
    uint32_t start, fall;
};

/* How much one execution weighs. */
struct trail_weight {
    uint64_t time, count;
};

/* What was counted since the last reading: user time of the samples, what their trails have told,
 * in which ticks, and what the counters say. */
struct trail_reading {
    uint64_t sampled_ns, told, ticks, instructions;
};

/* What one execution weighs, so that all of them weigh the sampled time, and that time at the pace
 * of trails. The pace is what trails have told: counters may be a trail ahead. A weight is rounded
 * down; what that leaves of the time is for the next reading. Where so little time was sampled that
 * nothing would be left, as when trails take most of it, an execution weighs one unit, and the
 * following ones nothing until that time has been sampled. But not where counters stand for twice
 * as much as trails have told: the program has written over them. */
struct trail_weight trail_weigh(const struct trail_reading *reading, int64_t *left_units);

/* What trails say of the program's rate. `time` and `count`: sums of their weights, by the pace of
 * trails, which are short. Long ones: instructions per tick, 2^-RATE_BITS, of warm copies. */
struct trail_rates {
    uint64_t time, count;
    uint64_t long_n, long_rates, long_rates_yy;
    uint64_t in_copies, in_copies_ticks; /* instructions, and ticks in copies alone */
};

struct counted_trails {
    struct channel *channel;
    struct units *units;
    struct expansion *expansion;
    struct batch *batch;
    struct {
        VEC(uint32_t);
    } read, fresh; /* by counter: so far; and since the last reading, while one goes on */
    struct {
        VEC(int32_t);
    } owners; /* by counter: number + 1 of the superblock, or -1 - number of the pair; or 0 */
    struct trail_list {
        VEC(uint32_t);
    } changed, entered, taken; /* in this reading: counters, superblocks, pairs */
    struct map addresses;
    struct {
        VEC(struct trail_place);
    } places; /* as addresses */
    struct {
        VEC(struct trail_block);
    } blocks;                         /* as units->superblocks */
    struct trail_list targets, pairs; /* as units->segments and units->pairs: places */
    struct trail_list touched;        /* places, in this reading */
    /* Since the last reading: user time of samples; instructions of trails, and the ticks that they
     * would have taken. */
    uint64_t sampled_ns, told, ticks;
    int64_t left_units; /* time that no execution has got yet; below 0: got too early */
    /* So far. */
    uint64_t trails, instructions;
    struct trail_rates rates;
};

void counted_trails_init(struct counted_trails *trails, struct expansion *expansion,
                         struct channel *channel);
void counted_trails_rates_add(struct trail_rates *sum, const struct trail_rates *more);
void counted_trails_release(struct counted_trails *trails);
/* A sample, which stands for so much user time, and its trail, if it has one. */
void counted_trails_sample(struct counted_trails *trails, const struct event_walk *walk,
                           uint64_t ns);
/* Reads the counters into the batch. */
void counted_trails_read(struct counted_trails *trails);
