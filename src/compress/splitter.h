/* Stratified sampling: a hash splits the stream into 2^bits parts, each with a sampler of its own.
 * A frequent tuple dominates its part, and is counted in it almost exactly. One part: the sampler
 * alone. */
#pragma once

#include "compress/hash.h"
#include "compress/sampler.h"

struct splitter {
    struct sampling sampling;
    struct hash hash;
    struct random random;
    /* Periods of 256 need one byte per part, which wraps to 0; else samplers. */
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
