/* Random numbers for samplers: reproducible from a seed, in integers, so that agent and tool draw
 * the same. */
#pragma once

#include "wire/u128.h"

#include <stdint.h>

struct random {
    uint64_t state;
};

static inline uint64_t random_next(struct random *random)
{
    uint64_t x = random->state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* Uniform in 0 .. n - 1; n is far below 2^64, so that the bias of a product does not matter. */
static inline uint64_t random_below(struct random *random, uint64_t n)
{
    return u128_product(random_next(random), n, 64);
}

/* numerator/denominator, below one, in 2^-56. */
uint64_t random_quotient(uint64_t numerator, uint64_t denominator);
/* What random_geometric divides by: minus the natural logarithm of 1 - numerator/denominator, in
 * 2^-56, at least one. The quotient is at most one. */
uint64_t random_failure(uint64_t numerator, uint64_t denominator);
/* Failures before the first success. About 60 ns: for those who draw seldom. */
uint64_t random_geometric(struct random *random, uint64_t failure);
