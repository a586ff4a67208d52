#include "collect/perf/perf_ring.h"

#include "base/memory.h"

#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { RECORD_BYTES_MAX = 1 << 16 };

static struct perf_event_mmap_page *header(const struct perf_ring *ring)
{
    return (struct perf_event_mmap_page *)(void *)ring->page;
}

bool perf_ring_map(struct perf_ring *ring, int fd, size_t data_bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *at = mmap(NULL, page + data_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED)
        return false;
    *ring = (struct perf_ring){
        .page = at, .data_bytes = data_bytes, .wrapped = mem_alloc(RECORD_BYTES_MAX)};
    return true;
}

void perf_ring_unmap(struct perf_ring *ring)
{
    if (ring->page)
        munmap(ring->page, (size_t)sysconf(_SC_PAGESIZE) + ring->data_bytes);
    mem_free(ring->wrapped);
    *ring = (struct perf_ring){0};
}

void perf_ring_refresh(struct perf_ring *ring)
{
    ring->head = __atomic_load_n(&header(ring)->data_head, __ATOMIC_ACQUIRE);
}

const struct perf_event_header *perf_ring_peek(struct perf_ring *ring)
{
    uint64_t filled = perf_ring_filled(ring);
    const uint8_t *data = ring->page + sysconf(_SC_PAGESIZE);
    size_t at = (size_t)(ring->tail & (ring->data_bytes - 1));
    size_t to_end = ring->data_bytes - at;
    if (filled < sizeof(struct perf_event_header))
        return NULL;
    /* Records are multiples of eight bytes, so a header never wraps. */
    struct perf_event_header head;
    memcpy(&head, data + at, sizeof head);
    if (head.size < sizeof head || head.size > filled) {
        ring->tail = ring->head;
        return NULL;
    }
    const uint8_t *record = data + at;
    if (head.size > to_end) {
        memcpy(ring->wrapped, data + at, to_end);
        memcpy(ring->wrapped + to_end, data, head.size - to_end);
        record = ring->wrapped;
    }
    return (const struct perf_event_header *)(const void *)record;
}

void perf_ring_skip(struct perf_ring *ring, const struct perf_event_header *record)
{
    ring->tail += record->size;
}

void perf_ring_publish(struct perf_ring *ring)
{
    __atomic_store_n(&header(ring)->data_tail, ring->tail, __ATOMIC_RELEASE);
}
