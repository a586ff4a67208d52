/* A channel in plain memory, filled by hand as an agent would. */
#pragma once

#include "wire/channel.h"

#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>

struct fake {
    struct channel *channel;
};

static inline void fake_open(struct fake *fake)
{
    void *memory = mmap(NULL, CHANNEL_BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(memory != MAP_FAILED);
    fake->channel = memory;
    fake->channel->state = CHANNEL_LIVE;
}

static inline void fake_close(struct fake *fake)
{
    munmap(fake->channel, CHANNEL_BYTES);
}

static inline unsigned char *fake_section(const struct fake *fake, size_t at)
{
    return (unsigned char *)fake->channel + at;
}

static inline void fake_map(struct fake *fake, uint64_t start, uint64_t end, uint64_t offset,
                            const char *path)
{
    uint32_t length = (uint32_t)strlen(path);
    struct wire_map map = {.bytes = (uint32_t)(sizeof map + length + 7) & ~7u,
                           .path_bytes = length,
                           .start = start,
                           .end = end,
                           .offset = offset};
    unsigned char *at = fake_section(fake, CHANNEL_MAPS_AT) + fake->channel->maps_bytes;
    memcpy(at, &map, sizeof map);
    memcpy(at + sizeof map, path, length);
    fake->channel->maps_bytes += map.bytes;
}

static inline void fake_unit(struct fake *fake, const void *unit, uint32_t bytes)
{
    memcpy(fake_section(fake, CHANNEL_UNITS_AT) + fake->channel->units_bytes, unit, bytes);
    fake->channel->units_bytes += bytes;
}

static inline void fake_superblock(struct fake *fake, uint32_t first_exit, uint32_t counter,
                                   uint32_t n, const struct wire_segment *segments)
{
    struct wire_superblock header = {.kind = UNIT_SUPERBLOCK,
                                     .bytes = (uint32_t)(sizeof header + n * sizeof *segments),
                                     .first_exit = first_exit,
                                     .counter = counter,
                                     .n_segments = (uint16_t)n,
                                     .n_exits =
                                         (uint16_t)(n + (segments[n - 1].end == SEGMENT_COND))};
    fake_unit(fake, &header, sizeof header);
    fake_unit(fake, segments, (uint32_t)(n * sizeof *segments));
}

static inline void fake_pair(struct fake *fake, uint32_t exit, uint32_t counter, uint64_t target)
{
    struct wire_pair pair = {.kind = UNIT_PAIR,
                             .bytes = sizeof pair,
                             .exit = exit,
                             .counter = counter,
                             .target = target};
    fake_unit(fake, &pair, sizeof pair);
}

static inline void fake_cut(struct fake *fake, uint32_t first_exit, uint32_t segment,
                            uint32_t instructions)
{
    struct wire_cut cut = {.kind = UNIT_CUT,
                           .bytes = sizeof cut,
                           .first_exit = first_exit,
                           .segment = (uint16_t)segment,
                           .instructions = (uint16_t)instructions};
    fake_unit(fake, &cut, sizeof cut);
}

static inline void fake_abandoned(struct fake *fake, uint64_t pc)
{
    struct wire_abandoned unit = {.kind = UNIT_ABANDONED, .bytes = sizeof unit, .pc = pc};
    fake_unit(fake, &unit, sizeof unit);
}

static inline uint64_t *fake_counters(const struct fake *fake)
{
    return (uint64_t *)(void *)fake_section(fake, CHANNEL_COUNTERS_AT);
}

/* Appends one entry to the ring, with a pad where it would wrap. */
static inline void fake_event(struct fake *fake, const void *entry, uint32_t bytes)
{
    uint64_t at = fake->channel->ring_head & (CHANNEL_RING_BYTES - 1);
    uint32_t behind = (uint32_t)(CHANNEL_RING_BYTES - at);
    if (behind < bytes) {
        uint32_t pad[2] = {EVENT_PAD, behind};
        memcpy(fake_section(fake, CHANNEL_RING_AT) + at, pad, sizeof pad);
        fake->channel->ring_head += behind;
        at = 0;
    }
    memcpy(fake_section(fake, CHANNEL_RING_AT) + at, entry, bytes);
    fake->channel->ring_head += bytes;
}

static inline void fake_walk(struct fake *fake, struct event_walk walk, const uint32_t *exits,
                             uint32_t n)
{
    static unsigned char entry[CHANNEL_RING_BYTES];
    walk.kind = EVENT_WALK;
    walk.n_exits = n;
    walk.bytes = (uint32_t)(sizeof walk + n * sizeof *exits + 7) & ~7u;
    memset(entry, 0, walk.bytes);
    memcpy(entry, &walk, sizeof walk);
    if (n)
        memcpy(entry + sizeof walk, exits, n * sizeof *exits);
    fake_event(fake, entry, walk.bytes);
}

static inline uint64_t fake_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}
