/* Exact counters -> how often every range and edge ran.
 *
 * A superblock counts its entries and its taken conditional exits. The rest follows by subtraction:
 * control that ran a segment and did not leave there continued to the next. Returns are not counted
 * at all: they are the arrivals at a superblock that no direct exit and no counted pair explains.
 *
 * While the program runs, counters move under the reader. They are read in the order in which they
 * are bumped (entries first), so every difference is too small, never too large, except for the
 * current passage of each thread. So counts that are given out meanwhile are lower bounds, and the
 * last reading corrects them. Arrivals by return, a difference across superblocks, are given out
 * only then. */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "process/selection.h"
#include "process/units.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stdint.h>

/* Given out so far, and its cuts. */
struct exact_segment {
    uint64_t ran, taken, fallen;
    uint32_t cuts;
    uint32_t cut_at_start; /* of these, before the first instruction */
};

/* Counters at one moment, or nearly: each thread may have been between two of them. */
struct exact_reading {
    const uint64_t *counters;
    uint64_t n;
    uint32_t threads;
    bool last; /* the process has ended: counters do not change any more */
};

struct exact {
    struct units *units;
    struct profile *profile;             /* gets the counts, ... */
    bool loose;                          /* ... as loose rows */
    const struct exact_reading *reading; /* the current one */
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
    } told;                /* edges that were added by exact_tell_edge, by target */
    struct kept kept;      /* of segments, with record --only */
    uint64_t instructions; /* given out so far */
};

void exact_init(struct exact *exact, struct units *units, struct profile *profile);
void exact_release(struct exact *exact);

/* For code without counters: how often it ran, and how often control went from it elsewhere. Call
 * before the last reading: returns are the arrivals that no edge explains. */
void exact_tell_range(struct exact *exact, struct place start, struct svma last,
                      uint32_t instructions, uint64_t count);
void exact_tell_edge(struct exact *exact, struct place from, struct place to, enum edge_kind kind,
                     uint64_t count);
void exact_tell_return(struct exact *exact, struct place to, uint64_t count);

/* Adds what is new to the profile. The units must have been read after the counters: each cut takes
 * off a passage that was counted before. */
void exact_read(struct exact *exact, const struct exact_reading *reading);
