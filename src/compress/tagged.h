/* The tagged table: an entry counts one tuple, identified by a few bits. Another tuple that maps to
 * the same entry either waits until the first is seen again and sent, or replaces it. Counts are
 * handed on and not dropped: hits and misses of an entry are the length of the stream that came to
 * it.
 *
 * Where the paper leaves a choice it is in struct tagged_choices; all zero keeps the length
 * exactly. */
#pragma once

#include "compress/hash.h"

enum { TAGGED_TAG_BITS_MAX = 8, TAGGED_WAYS_MAX = 8, TAGGED_MISSES_MAX = 7 };

struct tagged_choices {
    bool begins_at_0;   /* a new entry has no hit yet, instead of one */
    bool told_without;  /* the count sent at an eviction excludes the hit that caused it */
    bool taken_without; /* the tuple that takes an entry gets its counts without its own miss */
    bool real_quotient; /* threshold/hits is not rounded down */
};

/* What an entry does next depends on the tuple and on its misses; of its hits only whether they
 * have reached a bound that depends on its misses. So the rules are two rows of bounds, and taking
 * a tuple needs no unpredictable branch. An entry is one word, so that the two of a set are one
 * load: hits at the top, misses, and the tag below. */
typedef uint32_t tagged_entry;
enum {
    TAGGED_FREE =
        8, /* as misses: no owner; its hits are those that the last owner's rivals waited for */
    TAGGED_STATES,
    TAGGED_HITS_SHIFT = 16,
    TAGGED_MISSES_SHIFT = 12,
    TAGGED_TAG_MASK = (1 << TAGGED_MISSES_SHIFT) - 1, /* tags are one more; 0: free */
};

static inline uint32_t tagged_hits(tagged_entry entry)
{
    return entry >> TAGGED_HITS_SHIFT;
}

static inline uint32_t tagged_state(tagged_entry entry)
{
    return entry >> TAGGED_MISSES_SHIFT & 0xf;
}

static inline uint32_t tagged_misses(tagged_entry entry)
{
    return tagged_state(entry) % TAGGED_FREE;
}

struct tagged {
    struct hash hash; /* to a set */
    struct tagged_choices choices;
    uint32_t tag_bits, threshold, ways;
    /* By state: hits from which the owner is told of when he comes, and below which somebody else
     * takes the entry; and what he adds to its counts. */
    uint32_t told_from[TAGGED_STATES], kept_from[TAGGED_STATES], added[TAGGED_STATES];
    tagged_entry entries[1 << HASH_BITS_MAX];
};

/* 2^bits sets of so many ways, threshold at most 2^16 - 1. */
void tagged_init(struct tagged *tagged, uint32_t bits, uint32_t ways, uint32_t tag_bits,
                 uint32_t threshold, const struct tagged_choices *choices, bool paper,
                 uint64_t seed);
/* Returns the number of messages, at most n. */
size_t tagged_take(struct tagged *tagged, const struct tuple *tuples, size_t n,
                   struct message *messages);
/* Occurrences that the table holds and has not told of. */
uint64_t tagged_held(const struct tagged *tagged);
