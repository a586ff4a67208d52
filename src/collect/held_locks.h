/* Which lock was held when code ran, told by what windows with addresses saw of locks being taken and given back.
 *
 * A lock is taken by an instruction that changes memory in one step (xchg, lock cmpxchg, lock bts, lock dec), and given back by another that
 * writes the same address: a plain store, xchg, or lock sub and the like. lock cmpxchg gives nothing back, and lock dec is
 * given back by a plain store alone: else lists without locks and counts of references would look like locks. Of several tries by one
 * instruction the last counts.
 *
 * Both ends must be in the window; of an instruction and an address that have been ends of a lock before, one is enough: then it was held from
 * the window's beginning, or up to its end. A lock that is taken before the window and kept beyond it is not seen. Every straight run of code that
 * was once gone with a lock held gets values of VALUE_OF_LOCK: the address of the lock that was taken last, or 0. */
#pragma once

#include "base/map.h"
#include "collect/images.h"
#include "collect/value_lists.h"

enum { LOCKS_PENDING = 16, LOCKS_KNOWN = 1 << 14 };

/* A run of code in the window; lock 0: none was held when it began. */
struct lock_passage {
    uint32_t segment;
    uint64_t lock;
};

/* Taken and not given back yet. */
struct lock_pending {
    uint64_t address, pc;
    uint32_t item, since; /* the passage in which it was taken */
};

struct lock_section {
    uint64_t address;
    uint32_t first, behind; /* passages */
};

struct lock_segment {
    uint64_t unheld; /* sightings before it was first seen with a lock */
    uint32_t place;  /* of the lists, one more; 0: it has not been seen with one */
};

struct held_locks {
    bool on;
    const struct units *units;
    struct value_lists *lists; /* gets values */
    struct images images;
    struct map known; /* addresses of locks that have been held, up to LOCKS_KNOWN */
    struct {
        VEC(uint8_t);
    } items, blocks; /* as units->payload: what the instruction can do; as units->superblocks */
    struct {
        VEC(struct lock_segment);
    } segments; /* as units->segments */
    struct {
        VEC(struct lock_passage);
    } passages; /* of this window */
    struct {
        VEC(struct lock_section);
    } sections; /* of this window */
    uint32_t n_pending;
    struct lock_pending pending[LOCKS_PENDING];
};

void held_locks_init(struct held_locks *locks, const struct units *units,
                     struct value_lists *lists);
void held_locks_release(struct held_locks *locks);
/* A window that the lists have taken. */
void held_locks_window(struct held_locks *locks, const struct payload_window *window);
