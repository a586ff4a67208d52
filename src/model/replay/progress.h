/* Slots of issue: of each instruction that is under way, from its fetch until it is done, how many
 * others were issued meanwhile. Part of account.h, which says what counts.
 *
 * How many were issued before a cycle is kept by cycle, from the fetch of the oldest that is under
 * way on. Room for that grows as long as need be, up to RING_MOST cycles: a chain of misses that
 * fills the reorder buffer takes a hundred thousand cycles from fetch to result, and whoever leaves
 * out what takes too long leaves out those that waste most. */
#pragma once

#include "model/replay/account.h"

/* An instruction that is. */
struct under_way {
    uint64_t fetch, issue, complete;
    uint32_t id;
    bool missed;
    bool retires; /* it is one of those that were issued, */
    bool rides;   /* and took no slot */
};

/* Instructions, and those of them that took a slot. */
struct issues {
    uint32_t all, slots;
};

struct progress {
    struct account *account;
    uint64_t frontier;        /* nobody is issued any more before this cycle */
    uint64_t latest;          /* nobody was issued yet behind this one */
    struct issues issued_sum; /* before the frontier */
    uint64_t room;            /* of the next two, by cycle: a power of two */
    struct issues *sums;      /* issued before each cycle, from `oldest` up to the frontier */
    struct issues *issued;    /* in each cycle from there on */
    uint64_t oldest;
    struct ways {
        struct under_way *at; /* in a circle */
        uint32_t room, first, n;
    } ways;
};

void progress_init(struct progress *progress, struct account *account);
void progress_release(struct progress *progress);
void progress_take(struct progress *progress, const struct replay_step *step);
/* Nothing follows what retired last in this cycle: whoever is under way ends. */
void progress_settle(struct progress *progress, uint64_t last);
