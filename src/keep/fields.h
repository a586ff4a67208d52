/* Numbers and texts of a kept part, as FORMAT.md writes them. */
#pragma once

#include "base/bytes.h"
#include "base/cursor.h"
#include "base/memory.h"
#include "wire/varint.h"

#include <string.h>

static inline void field_put(struct bytes *to, uint64_t value)
{
    bytes_reserve(to, to->n + VARINT_BYTES_MAX);
    to->n = (size_t)(varint_put(to->at + to->n, value) - to->at);
}

/* The difference from *before, which becomes the value. */
static inline void field_put_from(struct bytes *to, uint64_t value, uint64_t *before)
{
    field_put(to, varint_fold(value - *before));
    *before = value;
}

static inline void field_put_text(struct bytes *to, const char *text)
{
    size_t n = text ? strlen(text) : 0;
    field_put(to, n);
    bytes_add(to, text, n);
}

/* After a failure the cursor is bad and all that follows is 0. */
static inline uint64_t field_get(struct cursor *cursor)
{
    uint64_t value = 0;
    if (cursor->bad || !varint_get(&cursor->at, cursor->end, &value)) {
        cursor->bad = true;
        cursor->at = cursor->end;
        return 0;
    }
    return value;
}

static inline uint32_t field_get_short(struct cursor *cursor)
{
    uint64_t value = field_get(cursor);
    cursor->bad |= value > UINT32_MAX;
    return (uint32_t)value;
}

static inline uint64_t field_get_from(struct cursor *cursor, uint64_t *before)
{
    return *before += varint_unfold(field_get(cursor));
}

/* How many entries follow, of at least `least` bytes each. */
static inline size_t field_get_count(struct cursor *cursor, size_t least)
{
    uint64_t n = field_get(cursor);
    if (n <= cursor_room(cursor) / least)
        return (size_t)n;
    cursor->bad = true;
    cursor->at = cursor->end;
    return 0;
}

static inline const char *field_get_text(struct cursor *cursor, struct arena *arena)
{
    size_t n = field_get_count(cursor, 1);
    const char *text = arena_string_n(arena, (const char *)cursor->at, n);
    cursor->at += n;
    return text;
}
