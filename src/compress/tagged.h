/* The tagged table: entries count one tuple each, as far as a few bits of it tell; another that
 * comes to the same entry either waits until the first is seen once more and told of, or takes its
 * place. Counts are handed on and not dropped: hits and misses of an entry are the length of the
 * stream that came to it.
 *
 * Where the paper leaves a choice it is one of struct tagged_choices; all zero is what keeps the
 * length exactly. */
#pragma once

#include "compress/hash.h"

enum { TAGGED_TAG_BITS_MAX = 8, TAGGED_WAYS_MAX = 8, TAGGED_MISSES_MAX = 7 };

struct tagged_choices {
    bool begins_at_0;  /* a new entry has no hit yet, instead of one */
    bool told_without; /* what is told when an entry is evicted is without the hit that caused it */
    bool taken_without; /* who takes an entry gets its counts without his own miss */
    bool real_quotient; /* threshold/hits is not rounded down */
};

/* What an entry does next depends on who comes and on its misses; of its hits it matters only
 * whether they have come up to a bound that its misses choose. So the rules are two rows of bounds,
 * and taking a tuple needs no branch that chance decides. An entry is one word, so that the two of
 * a set are one look: hits above, misses, and the tag below. */
typedef uint32_t tagged_entry;
enum {
    TAGGED_FREE = 8, /* for misses: nobody's entry; its hits are what the last owner's rivals have
                        waited for */
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
