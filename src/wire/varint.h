/* LEB128: seven bits a byte, low bits first; the top bit says that more follow.
 *
 * Each value has one encoding, the shortest. Readers refuse all others, so decoded data encodes to
 * the same bytes again. */
#pragma once

#include "wire/u128.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { VARINT_BYTES_MAX = 10, VARINT_WIDE_BYTES_MAX = 19 };

#define VARINT_MORE 0x8080808080808080u /* the top bit of every byte */

/* The low 56 bits as eight groups of seven, one a byte: halves, quarters, eighths move apart. */
static inline uint64_t varint_spread(uint64_t value)
{
    value = (value & 0x000000000fffffffu) | (value & 0x00fffffff0000000u) << 4;
    value = (value & 0x00003fff00003fffu) | (value & 0x0fffc0000fffc000u) << 2;
    return (value & 0x007f007f007f007fu) | (value & 0x3f803f803f803f80u) << 1;
}
static inline uint8_t *varint_put_eight(uint8_t *at, uint64_t bytes)
{
    __builtin_memcpy(at, &bytes, sizeof bytes);
    return at;
}

/* Writes at `at`, where the maximum must fit; returns the end. Bytes after the end, up to the
 * maximum, may change: up to eight bytes are written without a branch, because the length is hard
 * to predict. */
static inline uint8_t *varint_put(uint8_t *at, uint64_t value)
{
    if (value < 0x80) {
        *at = (uint8_t)value;
        return at + 1;
    }
    if (value >> 56) {
        varint_put_eight(at, varint_spread(value) | VARINT_MORE);
        at[8] = (uint8_t)(value >> 56); /* the top bit is both: one more byte, and its value */
        at[9] = (uint8_t)(value >> 63);
        return at + 9 + (value >> 63);
    }
    unsigned bytes = (70 - (unsigned)__builtin_clzll(value)) / 7;
    uint64_t more = VARINT_MORE & (((uint64_t)1 << 8 * (bytes - 1)) - 1);
    return varint_put_eight(at, varint_spread(value) | more) + bytes;
}
uint8_t *varint_put_wide(uint8_t *at, u128 value);

/* Reads at *at and advances it. False, with nothing changed: the bytes before `end` hold no whole
 * varint, one too large for its type, or not the shortest. */
static inline bool varint_get(const uint8_t **at, const uint8_t *end, uint64_t *ret_value);
bool varint_get_wide(const uint8_t **at, const uint8_t *end, u128 *ret_value);

/* A varint of more than eight bytes, or with fewer than eight bytes before `end`. */
bool varint_get_long(const uint8_t **at, const uint8_t *end, uint64_t *ret_value);

static inline uint64_t varint_gather(uint64_t value)
{
    value = (value & 0x007f007f007f007fu) | (value & 0x7f007f007f007f00u) >> 1;
    value = (value & 0x00003fff00003fffu) | (value & 0x3fff00003fff0000u) >> 2;
    return (value & 0x000000000fffffffu) | (value & 0x0fffffff00000000u) >> 4;
}

static inline bool varint_get(const uint8_t **at, const uint8_t *end, uint64_t *ret_value)
{
    uint64_t value;
    if (end - *at < (ptrdiff_t)sizeof value)
        return varint_get_long(at, end, ret_value);
    __builtin_memcpy(&value, *at, sizeof value);
    uint64_t stop = ~value & VARINT_MORE;
    if (!stop)
        return varint_get_long(at, end, ret_value);
    unsigned bytes = (unsigned)__builtin_ctzll(stop) / 8 + 1;
    if (bytes > 1 && !(*at)[bytes - 1])
        return false;
    *at += bytes;
    *ret_value = varint_gather(value & ~VARINT_MORE & UINT64_MAX >> (64 - 8 * bytes));
    return true;
}

/* A difference modulo 2^64, folded so that small ones of either sign are short. */
static inline uint64_t varint_fold(uint64_t difference)
{
    return difference << 1 ^ (0 - (difference >> 63));
}
static inline uint64_t varint_unfold(uint64_t folded)
{
    return folded >> 1 ^ (0 - (folded & 1));
}
