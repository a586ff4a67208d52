/* Makes bytes that look like a profile pass its checksums. */
#pragma once

#include "profile/file/chunk.h"
#include "base/crc.h"

#include <string.h>

/* Makes start, lengths and checksums right, so that mutations get past them to the decoders. */
static inline void profile_mend(uint8_t *data, size_t size)
{
    struct bytes start = {0};
    chunk_put_start(&start);
    if (size >= start.n)
        memcpy(data, start.at, start.n);
    size_t at = start.n;
    vec_release(&start);
    while (at + CHUNK_HEADER_BYTES <= size) {
        size_t n = (size_t)data[at] | (size_t)data[at + 1] << 8;
        size_t left = size - at - CHUNK_HEADER_BYTES;
        n = n < left ? n : left;
        uint8_t *header = data + at;
        for (int i = 0; i < 4; i++)
            header[i] = (uint8_t)(n >> 8 * i);
        uint32_t crc = crc32c(crc32c(0, header, 8), header + CHUNK_HEADER_BYTES, n);
        for (int i = 0; i < 4; i++)
            header[8 + i] = (uint8_t)(crc >> 8 * i);
        at += CHUNK_HEADER_BYTES + n;
    }
}
