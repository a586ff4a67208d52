#include "wire/varint.h"

#include <stddef.h>

uint8_t *varint_put_wide(uint8_t *at, u128 value)
{
    if (value >> 120) {
        for (; value >> 7; value >>= 7)
            *at++ = (uint8_t)(value | 0x80);
        *at = (uint8_t)value;
        return at + 1;
    }
    if (value >> 64) {
        at = varint_put_eight(at, varint_spread((uint64_t)value) | VARINT_MORE) + 8;
        value >>= 56;
    }
    return varint_put(at, (uint64_t)value);
}

/* Up to eight bytes at once. 0: it is longer, or there are no eight bytes to look at. */
static unsigned get_short(const uint8_t *at, const uint8_t *end, uint64_t *ret_value)
{
    uint64_t value;
    if (end - at < (ptrdiff_t)sizeof value)
        return 0;
    __builtin_memcpy(&value, at, sizeof value);
    uint64_t stop = ~value & VARINT_MORE;
    if (!stop)
        return 0;
    unsigned bytes = (unsigned)__builtin_ctzll(stop) / 8 + 1;
    value &= ~VARINT_MORE & UINT64_MAX >> (64 - 8 * bytes);
    value = (value & 0x007f007f007f007fu) | (value & 0x7f007f007f007f00u) >> 1;
    value = (value & 0x00003fff00003fffu) | (value & 0x3fff00003fff0000u) >> 2;
    *ret_value = (value & 0x000000000fffffffu) | (value & 0x0fffffff00000000u) >> 4;
    return bytes;
}

/* The last byte of a full-length varint holds fewer than seven bits: one of 64, two of 128. */
bool varint_get(const uint8_t **at, const uint8_t *end, uint64_t *ret_value)
{
    uint64_t value = 0;
    const uint8_t *byte = *at;
    unsigned bytes = get_short(byte, end, &value);
    if (bytes) {
        if (bytes > 1 && !byte[bytes - 1])
            return false;
        *at = byte + bytes;
        *ret_value = value;
        return true;
    }
    for (unsigned shift = 0; byte < end && shift < 64; shift += 7) {
        uint64_t bits = *byte & 0x7f;
        if (bits << shift >> shift != bits)
            return false;
        value |= bits << shift;
        if (*byte++ & 0x80)
            continue;
        if (!bits && shift)
            return false;
        *at = byte;
        *ret_value = value;
        return true;
    }
    return false;
}

bool varint_get_wide(const uint8_t **at, const uint8_t *end, u128 *ret_value)
{
    u128 value = 0;
    const uint8_t *byte = *at;
    for (unsigned shift = 0; byte < end && shift < 128; shift += 7) {
        u128 bits = *byte & 0x7f;
        if (bits << shift >> shift != bits)
            return false;
        value |= bits << shift;
        if (*byte++ & 0x80)
            continue;
        if (!bits && shift)
            return false;
        *at = byte;
        *ret_value = value;
        return true;
    }
    return false;
}
