/* Bytes of a perf.data, put together by hand. */
#pragma once

#include "base/vec.h"

#include <stdint.h>
#include <string.h>

struct bytes_out {
    VEC(uint8_t);
};

static inline void put(struct bytes_out *out, const void *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        *vec_push(out) = ((const uint8_t *)bytes)[i];
}

static inline void put_u64(struct bytes_out *out, uint64_t value)
{
    put(out, &value, sizeof value);
}

static inline void put_u32(struct bytes_out *out, uint32_t value)
{
    put(out, &value, sizeof value);
}

static inline void put_text(struct bytes_out *out, const char *text)
{
    put(out, text, strlen(text) + 1);
    while (out->n % 8)
        *vec_push(out) = 0;
}

static inline size_t record_begin(struct bytes_out *out, uint32_t type, uint16_t misc)
{
    size_t at = out->n;
    put_u32(out, type);
    put_u32(out, misc);
    return at;
}
