/* Numbers as DWARF writes them in frame entries and expressions. False: the bytes end too early. */
#pragma once

#include "base/cursor.h"

/* 1, 2, 4 or 8 bytes. */
static inline bool code_fixed(struct cursor *code, size_t bytes, bool is_signed,
                              uint64_t *ret_value)
{
    uint64_t value = cursor_uint(code, (unsigned)bytes), top = (uint64_t)1 << (8 * bytes - 1);
    *ret_value = is_signed ? (value ^ top) - top : value;
    return !code->bad;
}

static inline bool code_leb(struct cursor *code, bool is_signed, uint64_t *ret_value)
{
    *ret_value = is_signed ? (uint64_t)cursor_sleb(code) : cursor_uleb(code);
    return !code->bad;
}
