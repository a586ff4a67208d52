#include "profile/file/payload.h"

#include "base/err.h"
#include "wire/varint.h"

#include <string.h>

bool payload_number(struct cursor *cursor, uint64_t *ret_value, struct err *err)
{
    if (!varint_get(&cursor->at, cursor->end, ret_value))
        return err_set(err, ERR_FORMAT, "bad number");
    return true;
}

bool payload_wide(struct cursor *cursor, u128 *ret_value, struct err *err)
{
    if (!varint_get_wide(&cursor->at, cursor->end, ret_value))
        return err_set(err, ERR_FORMAT, "bad number");
    return true;
}

bool payload_short(struct cursor *cursor, const char *what, uint32_t *ret_value, struct err *err)
{
    uint64_t value;
    if (!payload_number(cursor, &value, err))
        return false;
    if (value > UINT32_MAX)
        return err_set(err, ERR_FORMAT, "%s %llu", what, (unsigned long long)value);
    *ret_value = (uint32_t)value;
    return true;
}

bool payload_difference(struct cursor *cursor, uint64_t *field, struct err *err)
{
    uint64_t folded;
    if (!payload_number(cursor, &folded, err))
        return false;
    *field += varint_unfold(folded);
    return true;
}

bool payload_bytes(struct cursor *cursor, uint64_t n, const uint8_t **ret_bytes, struct err *err)
{
    if (n > (uint64_t)(cursor->end - cursor->at))
        return err_set(err, ERR_FORMAT, "%llu bytes wanted, %zu left", (unsigned long long)n,
                       (size_t)(cursor->end - cursor->at));
    *ret_bytes = cursor->at;
    cursor->at += n;
    return true;
}

static bool text_bytes(struct cursor *cursor, const uint8_t **ret_bytes, uint64_t *ret_n,
                       struct err *err)
{
    if (!payload_number(cursor, ret_n, err) || !payload_bytes(cursor, *ret_n, ret_bytes, err))
        return false;
    if (*ret_n && memchr(*ret_bytes, 0, (size_t)*ret_n))
        return err_set(err, ERR_FORMAT, "a zero byte in a text");
    return true;
}

bool payload_text(struct cursor *cursor, struct arena *arena, char **ret_text, struct err *err)
{
    uint64_t n;
    const uint8_t *bytes = NULL;
    if (!text_bytes(cursor, &bytes, &n, err))
        return false;
    *ret_text = arena_string_n(arena, (const char *)bytes, (size_t)n);
    return true;
}

bool payload_name(struct cursor *cursor, struct bytes *name, struct err *err)
{
    uint64_t n;
    const uint8_t *bytes = NULL;
    if (!text_bytes(cursor, &bytes, &n, err))
        return false;
    name->n = 0;
    bytes_add(name, bytes, (size_t)n);
    bytes_add(name, "", 1);
    return true;
}
