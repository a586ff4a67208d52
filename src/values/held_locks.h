/* Which lock was held when code ran, from windows with addresses that saw locks being taken and
 * released.
 *
 * An instruction that changes memory atomically (xchg, lock cmpxchg, lock bts, lock dec) takes a
 * lock. Another instruction that writes the same address releases it: a plain store, xchg, or lock
 * sub and the like. lock cmpxchg never releases, and only a plain store releases what lock dec
 * took: else lock-free lists and reference counts would look like locks. With values the outcome is
 * known: cmpxchg takes if it found what it expected; xchg takes if it found 0 and left another
 * value, and releases if it left 0; all others failed. Without values, of several tries by one
 * instruction the last counts.
 *
 * A lock is known once both ends were in one window, or, with values, each end in some window: the
 * word goes from 0 to something that is no address, and back. Of a known lock one end is enough: it
 * was held from the window's beginning, or up to its end. Whether a long-held lock was held in a
 * window with neither end is not known: such passages are left out. With short-held locks they
 * count as without a lock. Every straight run of code that ever ran with a lock held gets values of
 * VALUE_OF_LOCK: the address of the lock that was taken last, or 0.
 *
 * A window ends at system calls, and where threads wait those follow locks. Weighed by their
 * length, short windows would show little but the way to such a call. So only the first
 * instructions of each window count, as many as nineteen of twenty windows have, each the same; the
 * rest only shows what was held. (With the windows' usual reach, collect/windows/window_reach.h,
 * code that is under a contended lock half of the time has 0.58 of it, in the mean of twelve
 * recordings; so it has 0.50.) */
#pragma once

#include "base/map.h"
#include "process/images.h"
#include "values/value_lists.h"

enum { LOCKS_WORDS = 16, LOCKS_KNOWN = 1 << 14 };

/* A run of code in the window; lock 0: none was held at its start. */
struct lock_passage {
    uint32_t segment;
    uint64_t lock;
};

/* A word that was taken or released in the window. */
struct lock_word {
    uint64_t address, pc;
    uint32_t item, since; /* the passage in which it was taken */
    bool held;
};

/* In how many windows both ends of a lock were, and in how many one. */
struct lock_known {
    uint32_t whole, cut;
};

/* What an item's instruction can do to a lock, and how many bytes it compares or exchanges. */
struct lock_item {
    uint8_t can, bytes;
};

struct lock_section {
    uint64_t address;
    uint32_t first, behind; /* passages */
};

struct lock_segment {
    uint64_t unheld; /* sightings before it was first seen with a lock */
    uint32_t place;  /* index + 1 in the lists; 0: never seen with a lock */
    uint32_t lock;   /* its last lock, in `known` */
};

struct held_locks {
    bool on;
    const struct units *units;
    struct value_lists *lists;
    struct images images;
    struct map known; /* addresses of locks, up to LOCKS_KNOWN */
    struct map taken; /* addresses that were surely taken, up to LOCKS_KNOWN */
    struct {
        VEC(struct lock_known);
    } lengths; /* as known */
    struct {
        VEC(struct lock_item);
    } items; /* as units->payload */
    struct {
        VEC(uint8_t);
    } blocks; /* as units->superblocks */
    struct {
        VEC(struct lock_segment);
    } segments; /* as units->segments */
    struct {
        VEC(struct lock_passage);
    } passages; /* of this window */
    struct {
        VEC(struct lock_section);
    } sections;     /* of this window */
    double counted; /* instructions of each window, from its beginning */
    uint32_t n_words, n_held;
    struct lock_word words[LOCKS_WORDS];
};

void held_locks_init(struct held_locks *locks, const struct units *units,
                     struct value_lists *lists);
void held_locks_release(struct held_locks *locks);
/* A window that the lists have taken; `weight`: of each of its passages, in 2^-VALUE_BITS of a
 * sighting. */
void held_locks_window(struct held_locks *locks, const struct payload_window *window,
                       uint32_t weight);
