/* LEB128: seven bits a byte, low bits first, the top bit says that more follow.
 *
 * There is one encoding per value, the shortest; readers refuse every other, so that what was
 * decoded encodes to the same bytes again. */
#pragma once

#include "wire/u128.h"

#include <stdbool.h>
#include <stdint.h>

enum { VARINT_BYTES_MAX = 10, VARINT_WIDE_BYTES_MAX = 19 };

/* Writes at `at`, where at least the maximum must fit; returns the end of what was written. */
uint8_t *varint_put(uint8_t *at, uint64_t value);
uint8_t *varint_put_wide(uint8_t *at, u128 value);

/* Reads at *at and moves it on. False, and nothing changed, when the bytes before `end` hold no
 * whole varint, one too large for its type, or one that is not the shortest. */
bool varint_get(const uint8_t **at, const uint8_t *end, uint64_t *ret_value);
bool varint_get_wide(const uint8_t **at, const uint8_t *end, u128 *ret_value);

/* A difference modulo 2^64, folded so that small ones of either sign are short. */
static inline uint64_t varint_fold(uint64_t difference)
{
    return difference << 1 ^ (0 - (difference >> 63));
}
static inline uint64_t varint_unfold(uint64_t folded)
{
    return folded >> 1 ^ (0 - (folded & 1));
}
