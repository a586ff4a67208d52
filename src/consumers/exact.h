/* Exact counters -> how often every range and edge ran.
 *
 * A superblock counts its entries and its taken conditional exits; the rest follows by subtraction:
 * what ran a segment and did not leave there went on to the next. Returns are not counted at all:
 * they are the arrivals at a superblock that no direct exit and no counted pair explains.
 *
 * While the program runs, counters move under the reader. Read in the order in which they are
 * bumped (entries first), every difference is too small, never too large, but for the one passage
 * of each thread that is under way. So what is given out meanwhile is a lower bound, and the last
 * reading tops it up to the truth; arrivals by return, a difference across superblocks, are given
 * out only then. */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "process/selection.h"
#include "process/units.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stdint.h>

/* Given out so far, and the cuts met. */
struct exact_segment {
    uint64_t ran, taken, fallen;
    uint32_t cuts;
    uint32_t cut_at_start; /* of these, before the first instruction ran */
};

/* Counters at one moment, or nearly: each of the threads may have been between two of them. */
struct exact_reading {
    const uint64_t *counters;
    uint64_t n;
    uint32_t threads;
    bool last; /* the process is gone or has said goodbye; the numbers stand still */
};

struct exact {
    struct units *units;
    struct profile *profile;             /* gets the counts */
    const struct exact_reading *reading; /* under way */
    struct {
        VEC(struct exact_segment);
    } segments; /* as units->segments */
    struct {
        VEC(uint64_t);
    } pairs; /* as units->pairs */
    size_t cuts_read;
    struct exact_tellings {
        VEC(struct exact_telling {
            struct place to;
            uint64_t count;
        });
    } told;                /* how often edges that others told of led somewhere */
    struct kept kept;      /* of segments, if not everything is */
    uint64_t instructions; /* given out so far */
};

void exact_init(struct exact *exact, struct units *units, struct profile *profile);
void exact_release(struct exact *exact);

/* Of code that has no counters: how often it ran, and how often control went from it somewhere
 * else. Before the last reading: what arrives by return is what no edge explains. */
void exact_tell_range(struct exact *exact, struct place start, struct svma last,
                      uint32_t instructions, uint64_t count);
void exact_tell_edge(struct exact *exact, struct place from, struct place to, enum edge_kind kind,
                     uint64_t count);
void exact_tell_return(struct exact *exact, struct place to, uint64_t count);

/* Gives out what is new. */
void exact_read(struct exact *exact, const struct exact_reading *reading);
