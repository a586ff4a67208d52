/* Bytes that are appended to. New room is not zeroed, so pages that are never filled are never
 * touched. */
#pragma once

#include "base/vec.h"

#include <stddef.h>
#include <stdint.h>

struct bytes {
    VEC(uint8_t);
};

/* Makes room for n bytes in all. */
void bytes_reserve(struct bytes *bytes, size_t n);
void bytes_add(struct bytes *bytes, const void *more, size_t n);
