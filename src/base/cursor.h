/* Reads untrusted little-endian bytes, never past the end.
 *
 * After a read that would pass the end the cursor is bad: it stays at the end, and all reads give
 * 0. So it is enough to check `bad` once after several reads. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct cursor {
    const uint8_t *at, *end;
    bool bad;
};

static inline size_t cursor_room(const struct cursor *cursor)
{
    return (size_t)(cursor->end - cursor->at);
}

static inline bool cursor_has(struct cursor *cursor, uint64_t bytes)
{
    if (cursor_room(cursor) >= bytes)
        return true;
    cursor->at = cursor->end;
    cursor->bad = true;
    return false;
}

static inline void cursor_skip(struct cursor *cursor, uint64_t bytes)
{
    if (cursor_has(cursor, bytes))
        cursor->at += bytes;
}

/* 1 to 8 bytes. */
static inline uint64_t cursor_uint(struct cursor *cursor, unsigned bytes)
{
    uint64_t value = 0;
    if (cursor_room(cursor) >= sizeof value) {
        memcpy(&value, cursor->at, sizeof value);
        cursor->at += bytes;
        return value & (UINT64_MAX >> (64 - 8 * bytes));
    }
    if (!cursor_has(cursor, bytes))
        return 0;
    memcpy(&value, cursor->at, bytes);
    cursor->at += bytes;
    return value;
}

static inline uint8_t cursor_u8(struct cursor *cursor)
{
    if (!cursor_has(cursor, 1))
        return 0;
    return *cursor->at++;
}

static inline uint32_t cursor_u32(struct cursor *cursor)
{
    return (uint32_t)cursor_uint(cursor, 4);
}

static inline uint64_t cursor_u64(struct cursor *cursor)
{
    return cursor_uint(cursor, 8);
}

/* LEB128; bits beyond the 64th are dropped. */
static inline uint64_t cursor_uleb(struct cursor *cursor)
{
    uint64_t value = 0;
    unsigned shift = 0;
    while (cursor->at < cursor->end) {
        uint8_t byte = *cursor->at++;
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7F) << shift;
        if (!(byte & 0x80))
            return value;
        shift += 7;
    }
    cursor->bad = true;
    return 0;
}

static inline int64_t cursor_sleb(struct cursor *cursor)
{
    uint64_t value = 0;
    unsigned shift = 0;
    while (cursor->at < cursor->end) {
        uint8_t byte = *cursor->at++;
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7F) << shift;
        shift += 7;
        if (!(byte & 0x80))
            return (int64_t)(shift < 64 && (byte & 0x40) ? value | UINT64_MAX << shift : value);
    }
    cursor->bad = true;
    return 0;
}

static inline void cursor_skip_leb(struct cursor *cursor)
{
    while (cursor->at < cursor->end)
        if (!(*cursor->at++ & 0x80))
            return;
    cursor->bad = true;
}

/* A zero-terminated string; NULL: not terminated. */
static inline const char *cursor_string(struct cursor *cursor)
{
    const uint8_t *zero =
        cursor->at < cursor->end ? memchr(cursor->at, 0, cursor_room(cursor)) : NULL;
    if (!zero) {
        cursor->at = cursor->end;
        cursor->bad = true;
        return NULL;
    }
    const char *text = (const char *)cursor->at;
    cursor->at = zero + 1;
    return text;
}

/* An offset of 32 or 64 bits. */
static inline uint64_t cursor_offset(struct cursor *cursor, unsigned bytes)
{
    return bytes == 8 ? cursor_u64(cursor) : cursor_u32(cursor);
}
