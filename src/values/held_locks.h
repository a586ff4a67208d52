/* Which lock was held when code ran, told by what windows with addresses saw of locks being taken
 * and given back.
 *
 * A lock is taken by an instruction that changes memory in one step (xchg, lock cmpxchg, lock bts,
 * lock dec), and given back by another that writes the same address: a plain store, xchg, or lock
 * sub and the like. lock cmpxchg gives nothing back, and lock dec is given back by a plain store
 * alone: else lists without locks and counts of references would look like locks. With values it is
 * known how it went: cmpxchg takes if it found what it expected, xchg takes if it found 0 and left
 * another value, and gives back if it left 0; all others were in vain. Without, of several tries by
 * one instruction the last counts.
 *
 * A lock is known once both ends were in one window, or with values each end in some window: the
 * word then goes from 0 to what is no address, and back. Of a known lock one end is enough: it was
 * held from the window's beginning, or up to its end. Whether a lock that is held longer than
 * windows are was held in one that saw neither end cannot be told: such passages are left out,
 * while with short ones they are those without a lock. Every straight run of code that was once
 * gone with a lock held gets values of VALUE_OF_LOCK: the address of the lock that was taken last,
 * or 0.
 *
 * A window ends at calls of the kernel, and where threads wait those stand behind locks: weighed by
 * their length, short windows would tell of little else than what leads to such a call. So only the
 * first instructions of each are counted, as many as nineteen of twenty windows have, each the
 * same; all that comes behind tells what was held. (As far as windows count elsewhere,
 * collect/windows/window_reach.h, where short ones stand for as much time as others, code that is
 * half of the time under a lock that threads wait for has 0.58 of it, in the mean of twelve
 * recordings; so 0.50.) */
#pragma once

#include "base/map.h"
#include "process/images.h"
#include "values/value_lists.h"

enum { LOCKS_WORDS = 16, LOCKS_KNOWN = 1 << 14 };

/* A run of code in the window; lock 0: none was held when it began. */
struct lock_passage {
    uint32_t segment;
    uint64_t lock;
};

/* A word that was taken or given back in the window. */
struct lock_word {
    uint64_t address, pc;
    uint32_t item, since; /* the passage in which it was taken */
    bool held;
};

/* How often both ends of a lock were in a window, and how often one. */
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
    uint32_t place;  /* of the lists, one more; 0: it has not been seen with one */
    uint32_t lock;   /* it was last seen with, in `known` */
};

struct held_locks {
    bool on;
    const struct units *units;
    struct value_lists *lists; /* gets values */
    struct images images;
    struct map known; /* addresses of locks that have been held, up to LOCKS_KNOWN */
    struct map taken; /* addresses that were taken for certain, up to LOCKS_KNOWN */
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
