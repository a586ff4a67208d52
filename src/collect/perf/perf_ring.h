/* The memory in which the kernel leaves the records of one CPU, read in place.
 *
 * The kernel writes records and publishes data_head; whoever reads publishes data_tail, and what
 * lies behind that may be overwritten. A record that wraps around the end is copied, so that all of
 * it is in one piece. The kernel is trusted to write whole records; a length that cannot be ends
 * the reading of what there is. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perf_event_header;
struct err;

struct perf_ring {
    uint8_t *page; /* the header page, data behind it; NULL: not mapped */
    size_t data_bytes;
    uint64_t head, tail; /* seen last; read up to */
    uint8_t *wrapped;    /* room for one record */
};

/* data_bytes must be a power of two of pages. On failure errno tells why, for EPERM is the limit on
 * locked memory and a smaller ring may do. */
bool perf_ring_map(struct perf_ring *ring, int fd, size_t data_bytes);
void perf_ring_unmap(struct perf_ring *ring);

/* Looks how far the kernel is. */
void perf_ring_refresh(struct perf_ring *ring);
/* The record at the reading position, in one piece; NULL: no more up to where the kernel was. Good
 * until the next call. */
const struct perf_event_header *perf_ring_peek(struct perf_ring *ring);
/* Steps over the record that was peeked at. */
void perf_ring_skip(struct perf_ring *ring, const struct perf_event_header *record);
/* Gives what was read back to the kernel. */
void perf_ring_publish(struct perf_ring *ring);

static inline uint64_t perf_ring_filled(const struct perf_ring *ring)
{
    return ring->head - ring->tail;
}
