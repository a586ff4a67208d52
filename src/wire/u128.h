/* 128 bits, for sums of squares: 64 overflow within one batch of walks. */
#pragma once

#include <stdint.h>

__extension__ typedef unsigned __int128 u128;

/* a b / 2^shift, which must fit. */
static inline uint64_t u128_product(uint64_t a, uint64_t b, uint32_t shift)
{
    return (uint64_t)((u128)a * b >> shift);
}
