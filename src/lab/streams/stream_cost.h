/* What a design costs: storage of the hardware that the paper proposes, and the time between its
 * messages. */
#pragma once

#include <stdint.h>

struct design;
struct tuples;

/* Bits that keep state: counters, tags and what follows the compressor. Not the hash, nor the
 * source of random numbers, of which any number of samplers needs one.
 *
 * A periodic sampler counts to its rate; a countdown to twice that. A random one keeps nothing; if
 * it counts what passes (C), 4 bits more than its mean. An entry of a tagged table has hits, 3 bits
 * of misses, a tag and a bit of state; a counter behind a compressor two words of 64 bits and a
 * byte. */
uint64_t design_bits(const struct design *design);

/* Messages as they come, if tuples come evenly and each message keeps its receiver busy for
 * `handler` tuples' time. */
struct stream_pace {
    uint64_t messages;
    double apart; /* tuples between two, mean */
    double close; /* share of messages that come while one is handled */
    double queue; /* most messages that were there at once */
};
struct stream_pace stream_pace(const struct tuples *tuples, const struct design *design,
                               double handler);
