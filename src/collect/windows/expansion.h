/* Exits that were tallied -> ranges and edges of a batch.
 *
 * An exit implies that everything before it in its superblock ran, and that its branches fell
 * through: all of that is sums of what was tallied, so what flows into a segment flows out of it.
 * What a superblock implies has its indices in the batch from the first time on that it is needed;
 * those that were touched are expanded once a batch. */
#pragma once

#include "base/vec.h"
#include "collect/windows/tally.h"
#include "process/units.h"
#include "profile/batch.h"

#include <stdbool.h>

/* Indices in the batch of what a segment implies; MAP_NONE where there is nothing. */
struct expanded_segment {
    uint32_t range, taken, fallen;
    uint32_t pieces, n_pieces; /* in expansion->pieces: ranges, where not everything is kept */
};

struct expansion {
    struct units *units;
    struct tally *tally;
    struct batch *batch;
    struct {
        VEC(bool);
    } listed; /* as units->superblocks: whether its segments have indices in the batch */
    struct {
        VEC(struct expanded_segment);
    } segments; /* as units->segments */
    struct {
        VEC(uint32_t);
    } pieces;
    struct {
        VEC(uint32_t);
    } ways; /* as tally->ways: index of the edge in the batch, MAP_NONE until it is needed */
    uint64_t unmapped; /* superblocks outside every module, so far */
};

void expansion_init(struct expansion *expansion, struct units *units, struct tally *tally,
                    struct batch *batch);
void expansion_release(struct expansion *expansion);

/* Units that are new have their exits in the tally. */
void expansion_follow(struct expansion *expansion);
/* Where it began. */
const struct unit_segment *expansion_block(const struct expansion *expansion, uint32_t block);
/* Where an indirect exit went that no superblock follows. */
void expansion_end(struct expansion *expansion, uint32_t exit, struct place to,
                   struct tally_flow flow);
/* All that was touched goes to the batch. Returns how many superblocks were met that lie outside
 * every module. */
uint64_t expansion_flush(struct expansion *expansion);
