#include "program/elf/stamp.h"

#include "program/elf/image.h"
#include "base/crc.h"

/* The checksum below, how much it covers above. */
uint64_t stamp_of(const struct image *image)
{
    uint64_t covered = 0;
    uint32_t crc = 0;
    for (size_t i = 0; i < image->segments.n; i++) {
        const struct segment *segment = &image->segments.at[i];
        size_t room = 0;
        const uint8_t *bytes =
            segment->executable ? image_bytes(image, segment->start, &room) : NULL;
        if (!bytes)
            continue;
        crc = crc32c(crc, bytes, room);
        covered += room;
    }
    return covered << 32 | crc;
}
