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

struct counted_trails {
    struct channel *channel;
    struct units *units;
    struct expansion *expansion;
    struct batch *batch;
    struct {
        VEC(uint32_t);
    } read, fresh; /* of each counter: so far; and since the last reading */
    struct map addresses;
    struct {
        VEC(struct trail_place);
    } places; /* as addresses */
    struct {
        VEC(uint32_t);
    } starts, targets, pairs; /* places: of superblocks, segments, pairs */
    struct {
        VEC(uint32_t);
    } touched; /* places, in this reading */
    /* Since the last reading: CPU time of samples, and ticks that trails would have taken. */
    uint64_t sampled_ns, ticks;
    /* So far. */
    uint64_t trails, instructions, all_ticks;
};

void counted_trails_init(struct counted_trails *trails, struct expansion *expansion,
                         struct channel *channel);
void counted_trails_release(struct counted_trails *trails);
/* A sample, which stands for so much CPU time, and its trail, if it has one. */
void counted_trails_sample(struct counted_trails *trails, const struct event_walk *walk,
                           uint64_t ns);
/* Reads the counters into the batch. */
void counted_trails_read(struct counted_trails *trails);
