#include "wire/varint.h"

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

/* The last byte of a full-length varint holds fewer than seven bits: one of 64, two of 128. */
bool varint_get_long(const uint8_t **at, const uint8_t *end, uint64_t *ret_value)
{
    uint64_t value = 0;
    const uint8_t *byte = *at;
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
