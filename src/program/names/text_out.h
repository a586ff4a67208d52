/* The output of a demangler. It is bounded: back references let a short name stand for an endless
 * one. */
#pragma once

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { TEXT_OUT_MAX = 65536 };

struct text_out {
    VEC(char);
    bool full; /* something was left out */
};

static inline void text_put_n(struct text_out *out, const char *text, size_t bytes)
{
    if (out->n + bytes > TEXT_OUT_MAX) {
        out->full = true;
        return;
    }
    vec_reserve(out, out->n + bytes);
    if (bytes)
        memcpy(out->at + out->n, text, bytes);
    out->n += bytes;
}

static inline void text_put(struct text_out *out, const char *text)
{
    text_put_n(out, text, strlen(text));
}

/* A letter of Unicode as UTF-8. False: there is no such letter. */
static inline bool text_put_letter(struct text_out *out, uint32_t letter)
{
    if (letter < 0x20 || letter > 0x10FFFF || (letter >= 0xD800 && letter < 0xE000))
        return false;
    char bytes[4];
    size_t n = letter < 0x80 ? 1 : letter < 0x800 ? 2 : letter < 0x10000 ? 3 : 4;
    if (n == 1)
        bytes[0] = (char)letter;
    for (size_t i = n; n > 1 && i-- > 0; letter >>= 6)
        bytes[i] = (char)(i ? 0x80 | (letter & 0x3F) : (0xF00u >> n & 0xF0) | letter);
    text_put_n(out, bytes, n);
    return true;
}

static inline void text_release(struct text_out *out)
{
    vec_release(out);
}
