/* Tallied exits -> ranges and edges of a batch.
 *
 * An exit implies that everything before it in its superblock ran, and that the branches before it
 * fell through. All weights are sums of what was tallied, so what flows into a segment flows out of
 * it. A superblock gets its indices in the batch when they are first needed. Superblocks that were
 * touched are expanded once a batch. */
#pragma once

#include "base/vec.h"
#include "collect/windows/tally.h"
#include "process/units.h"
#include "profile/batch.h"

#include <stdbool.h>

/* Indices in the batch of a segment's range and edges; MAP_NONE: none. */
struct expanded_segment {
    uint32_t range, taken, fallen;
    uint32_t pieces, n_pieces; /* in expansion->pieces: the ranges that are kept (record --only) */
};

struct expansion {
    struct units *units;
    struct tally *tally;
    struct batch *batch;
    struct {
        VEC(bool);
    } listed; /* as units->superblocks: its segments have indices in the batch */
    struct {
        VEC(struct expanded_segment);
    } segments; /* as units->segments */
    struct {
        VEC(uint32_t);
    } pieces;
    struct {
        VEC(uint32_t);
    } ways;            /* as tally->ways: the edge in the batch; MAP_NONE until it is needed */
    uint64_t unmapped; /* superblocks outside every module, so far */
};

void expansion_init(struct expansion *expansion, struct units *units, struct tally *tally,
                    struct batch *batch);
void expansion_release(struct expansion *expansion);

/* Adds the exits of new units to the tally. */
void expansion_follow(struct expansion *expansion);
/* The first segment of a superblock. */
const struct unit_segment *expansion_block(const struct expansion *expansion, uint32_t block);
/* The target of an indirect exit that no superblock follows. */
void expansion_end(struct expansion *expansion, uint32_t exit, struct place to,
                   struct tally_flow flow);
/* Arrivals by return, from wherever. */
void expansion_return(struct expansion *expansion, struct place to, struct tally_flow flow);
/* Brings all that was touched into the batch. Returns how many superblocks lie outside every
 * module. */
uint64_t expansion_flush(struct expansion *expansion);
