#include "base/bytes.h"

#include <string.h>

void bytes_reserve(struct bytes *bytes, size_t n)
{
    if (n <= bytes->room)
        return;
    bytes->room = n < 2 * bytes->room ? 2 * bytes->room : n;
    bytes->at = mem_resize(bytes->at, bytes->room);
}

void bytes_add(struct bytes *bytes, const void *more, size_t n)
{
    if (!n)
        return;
    bytes_reserve(bytes, bytes->n + n);
    memcpy(bytes->at + bytes->n, more, n);
    bytes->n += n;
}
