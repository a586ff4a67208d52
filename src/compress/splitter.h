/* Stratified sampling: a hash splits the stream into 2^bits of them, each of which has its own
 * sampler. What is frequent dominates its part, and is counted in it almost exactly. One part: the
 * sampler alone. */
#pragma once

#include "compress/hash.h"
#include "compress/sampler.h"

struct splitter {
    struct sampling sampling;
    struct hash hash;
    struct random random;
    /* Periods of 256 need a byte a part, and are over when it is 0 again; else samplers. */
    bool bytes;
    union {
        uint8_t passed[1 << HASH_BITS_MAX];
        struct sampler samplers[1 << HASH_BITS_MAX];
    } parts;
};

void splitter_init(struct splitter *splitter, const struct sampling *sampling, uint32_t bits,
                   bool paper, bool phase, uint64_t seed);
/* Returns the number of messages, at most n. */
size_t splitter_take(struct splitter *splitter, const struct tuple *tuples, size_t n,
                     struct message *messages);
