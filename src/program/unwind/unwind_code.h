/* Numbers out of untrusted bytes, each with its length checked: as DWARF writes them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct unwind_code {
    const uint8_t *at, *end;
};

static inline size_t code_left(const struct unwind_code *code)
{
    return (size_t)(code->end - code->at);
}

/* 1, 2, 4 or 8 bytes. */
static inline bool code_fixed(struct unwind_code *code, size_t bytes, bool is_signed,
                              uint64_t *ret_value)
{
    uint64_t value = 0, top = (uint64_t)1 << (8 * bytes - 1);
    if (code_left(code) < bytes)
        return false;
    memcpy(&value, code->at, bytes);
    code->at += bytes;
    *ret_value = is_signed && (value & top) ? value - 2 * top : value;
    return true;
}

/* LEB128; bits past the 64th are dropped. */
static inline bool code_leb(struct unwind_code *code, bool is_signed, uint64_t *ret_value)
{
    uint64_t value = 0;
    for (unsigned shift = 0; code->at < code->end; shift = shift < 64 ? shift + 7 : shift) {
        uint8_t byte = *code->at++;
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7F) << shift;
        if (byte & 0x80)
            continue;
        if (is_signed && (byte & 0x40) && shift + 7 < 64)
            value |= ~(uint64_t)0 << (shift + 7);
        *ret_value = value;
        return true;
    }
    return false;
}
