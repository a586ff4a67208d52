/* Counts of exits, and of the targets of indirect ones: counted per window, weighed at its end,
 * added up over a batch.
 *
 * Counting is most of what the tool does while a program runs, and between two readings the program
 * has evicted the tool's memory from the caches. So all that an exit needs is on one cache line,
 * and the code avoids unpredictable branches. */
#pragma once

#include "base/vec.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stdint.h>

#define TALLY_ANYWHERE UINT32_MAX

/* The weight of a batch. */
struct tally_flow {
    uint64_t time, count;
};

/* An indirect branch and a superblock that it went to. The branches of returns are not kept. */
struct tally_way {
    uint32_t exit; /* TALLY_ANYWHERE: any return */
    uint32_t block;
    struct tally_flow flow;
};

struct tally_exit {
    uint16_t start, target; /* marks of the superblock's address and of the exit's target */
    uint32_t seen;          /* in this window */
    uint32_t block;
    uint32_t instructions; /* that run when the superblock is left here */
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
    } * slots; /* hash table of ways */
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

/* Ids ascend; ids that are skipped are no exits. */
void tally_exit_add(struct tally *tally, uint32_t id, uint32_t block, uint64_t start,
                    uint64_t target, uint32_t instructions, bool is_return);

/* Whether the exit has one fixed target. */
static inline bool tally_goes(const struct tally *tally, uint32_t exit)
{
    return tally->exits.at[exit].target & 1;
}

struct tally_window {
    uint64_t instructions;
    uint64_t most; /* instructions of one exit, most_exit: no exit has more */
    uint32_t most_exit;
};

/* Counts a window. False: no thread can have taken these exits in this order. */
bool tally_window(struct tally *tally, const uint32_t *exits, uint32_t n,
                  struct tally_window *ret_window);

/* Exit counts that come from outside windows. `next` is an exit of the target superblock; 0: the
 * target is unknown. Returns how many name no exit; those are left out. */
struct tally_sighting {
    uint32_t exit, next, seen;
};
uint64_t tally_sightings(struct tally *tally, const struct tally_sighting *sightings, size_t n);

/* The weight of a window. */
struct tally_weight {
    uint64_t instructions; /* its length; 0: the window does not count */
    uint64_t units;        /* of CPU time, below 2^32 */
    uint64_t rate;
};

/* Ends the window: weighs its counts and clears them. */
void tally_weigh(struct tally *tally, const struct tally_weight *weight);

/* The weight of so many occurrences in the window, rounded. */
static inline uint64_t tally_units(const struct tally_weight *weight, uint64_t seen)
{
    return (seen * weight->units + weight->instructions / 2) / weight->instructions;
}

static inline void tally_flow_add(struct tally_flow *flow, struct tally_flow more)
{
    flow->time += more.time;
    flow->count += more.count;
}

/* The superblock has got weight by other ways than windows. */
static inline void tally_touch(struct tally *tally, uint32_t block)
{
    tally->blocks_touched.at[block / 64] |= (uint64_t)1 << block % 64;
}

/* Returns the flow and clears it, at the end of a batch. */
static inline struct tally_flow tally_take(struct tally_flow *flow)
{
    struct tally_flow taken = *flow;
    *flow = (struct tally_flow){0};
    return taken;
}
