/* The tagged table: entries count one tuple each, as far as a few bits of it tell; another that comes to the same
 * entry either waits until the first is seen once more and told of, or takes its place. Counts are handed on
 * and not dropped: hits and misses of an entry are the length of the stream that came to it.
 *
 * Where the paper leaves a choice it is one of struct tagged_choices; all zero is what keeps the length exactly. */
#pragma once

#include "stream/hash.h"

enum { TAGGED_TAG_BITS_MAX = 8, TAGGED_WAYS_MAX = 8, TAGGED_MISSES_MAX = 7 };

struct tagged_choices {
    bool begins_at_0;  /* a new entry has no hit yet, instead of one */
    bool told_without; /* what is told when an entry is evicted is without the hit that caused it */
    bool taken_without; /* who takes an entry gets its counts without his own miss */
    bool real_quotient; /* threshold/hits is not rounded down */
};

struct tagged_entry {
    uint16_t hits;
    uint16_t misses; /* not 0: somebody else wants the entry */
    uint16_t tag;    /* one more; 0: the entry is free */
    uint16_t none;   /* sets of two lie in one line */
};

struct tagged {
    struct hash hash; /* to a set */
    struct tagged_choices choices;
    uint32_t tag_bits, threshold, ways;
    struct tagged_entry entries[1 << HASH_BITS_MAX];
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
