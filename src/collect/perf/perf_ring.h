/* The ring of records of one CPU, read in place.
 *
 * The kernel writes records and publishes data_head. The reader publishes data_tail; what lies
 * before that may be overwritten. A record that wraps around the end is copied, to be contiguous.
 * The kernel is trusted to write whole records; an impossible length ends the current reading. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perf_event_header;
struct err;

struct perf_ring {
    uint8_t *page; /* header page, then data; NULL: not mapped */
    size_t data_bytes;
    uint64_t head, tail; /* of the kernel, when last looked; of the reader */
    uint8_t *wrapped;    /* room for one record */
};

/* data_bytes: a power of two of pages. On failure errno says why: EPERM is the limit on locked
 * memory, and a smaller ring may work. */
bool perf_ring_map(struct perf_ring *ring, int fd, size_t data_bytes);
void perf_ring_unmap(struct perf_ring *ring);

/* Loads data_head. */
void perf_ring_refresh(struct perf_ring *ring);
/* The next record, contiguous; NULL: no more up to the loaded head. Valid until the next call. */
const struct perf_event_header *perf_ring_peek(struct perf_ring *ring);
/* Steps over the record that was peeked at. */
void perf_ring_skip(struct perf_ring *ring, const struct perf_event_header *record);
/* Returns what was read to the kernel. */
void perf_ring_publish(struct perf_ring *ring);

static inline uint64_t perf_ring_filled(const struct perf_ring *ring)
{
    return ring->head - ring->tail;
}
