#include "collect/channel/ring_entry.h"

#include "wire/channel.h"

#include <string.h>

uint32_t ring_entry_copy(struct ring_bytes *into, const void *ring, uint64_t ring_bytes,
                         uint64_t at, uint64_t published)
{
    uint64_t offset = at & (ring_bytes - 1), room = ring_bytes - offset;
    if (room > published - at)
        room = published - at;
    const unsigned char *entry = (const unsigned char *)ring + offset;
    uint32_t header[2];
    if (room < sizeof header)
        return 0;
    memcpy(header, entry, sizeof header);
    uint32_t bytes = header[1];
    if (bytes < sizeof header || bytes % 8 || bytes > room)
        return 0;
    size_t copied = header[0] == EVENT_PAD ? sizeof header : bytes;
    vec_reserve(into, copied);
    memcpy(into->at, entry, copied);
    memcpy(into->at, header, sizeof header); /* the length that was checked */
    return bytes;
}
