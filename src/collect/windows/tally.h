/* How often exits were left, and where indirect ones went: counted per window, weighed at its end,
 * added up over a batch.
 *
 * Counting is most of what the tool does while a program runs, and between two readings the program
 * has evicted our memory from the caches. So all that an exit needs is on one line, and branches
 * that no predictor can know are avoided. */
#pragma once

#include "base/vec.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stdint.h>

#define TALLY_ANYWHERE UINT32_MAX

/* Weighed in this batch. */
struct tally_flow {
    uint64_t time, count;
};

/* An indirect branch and the superblock to which it went. Where a return came from is not kept. */
struct tally_way {
    uint32_t exit; /* TALLY_ANYWHERE: any return */
    uint32_t block;
    struct tally_flow flow;
};

struct tally_exit {
    uint16_t start, target; /* marks of the superblock's address, and of where the exit goes */
    uint32_t seen;          /* in this window */
    uint32_t block;
    uint32_t instructions; /* executed when the superblock is left here */
    struct tally_flow flow;
};

struct tally {
    struct {
        VEC(struct tally_exit);
    } exits; /* by exit id */
    struct {
        VEC(struct tally_way);
    } ways;
    struct tally_slot {
        uint32_t exit, block;
        uint32_t way; /* index + 1, 0 is free */
        uint32_t seen;
    } * slots; /* finds ways */
    uint32_t n_slots;
    struct tally_list {
        VEC(uint32_t);
    } exits_seen, turns, slots_seen; /* in this window */
    struct tally_bits {
        VEC(uint64_t);
    } blocks_touched, ways_touched; /* in this batch */
};

void tally_init(struct tally *tally);
void tally_release(struct tally *tally);

/* Exits come in the order of their ids; what is left out between two is no exit. */
void tally_exit_add(struct tally *tally, uint32_t id, uint32_t block, uint64_t start,
                    uint64_t target, uint32_t instructions, bool is_return);

/* Whether the exit always goes to the same place. */
static inline bool tally_goes(const struct tally *tally, uint32_t exit)
{
    return tally->exits.at[exit].target & 1;
}

struct tally_window {
    uint64_t instructions;
    uint64_t most; /* instructions that ran up to one exit, most_exit */
    uint32_t most_exit;
};

/* Counts a window. False: no thread can have gone this way. */
bool tally_window(struct tally *tally, const uint32_t *exits, uint32_t n,
                  struct tally_window *ret_window);

/* Exits of no window, of which it is told how often each was seen, and that of an exit to whose
 * superblock those went that do not know (0: that is not known). Returns how many of them are
 * nobody's, and are left out. */
struct tally_sighting {
    uint32_t exit, next, seen;
};
uint64_t tally_sightings(struct tally *tally, const struct tally_sighting *sightings, size_t n);

/* What a window weighs. */
struct tally_weight {
    uint64_t instructions; /* its length; 0: nothing */
    uint64_t units;        /* of time that it stands for, below 2^32 */
    uint64_t rate;
};

/* Ends the window: what it counted is weighed and forgotten. */
void tally_weigh(struct tally *tally, const struct tally_weight *weight);

/* What being seen so often in the window weighs, rounded. */
static inline uint64_t tally_units(const struct tally_weight *weight, uint64_t seen)
{
    return (seen * weight->units + weight->instructions / 2) / weight->instructions;
}

/* For whoever ends the batch: the flow, which is then 0. */
static inline struct tally_flow tally_take(struct tally_flow *flow)
{
    struct tally_flow taken = *flow;
    *flow = (struct tally_flow){0};
    return taken;
}
