#include "agent/base/ring.h"

#include "walk/base/sys.h"

#include <stddef.h>
#include <sys/syscall.h>

enum {
    POPULATE_WRITE = 23, /* MADV_POPULATE_WRITE, Linux 5.14 */
    STEP = 64 << 10,
    EARLY = 1 << 20,
};

/* A fault for each page of the first round took as long as the rest of a sample. Many pages at once
 * cost little more than one. Where the kernel cannot do that, they come one by one. */
static void ring_prepare(struct ring *ring, uint32_t end)
{
    uint32_t ready = ring->ready;
    if (end <= ready)
        return;
    uint32_t bytes = (end - ready + STEP - 1) / STEP * STEP;
    ring->ready = ready + bytes; /* another thread may do the same, for nothing */
    sys3(SYS_madvise, (long)(ring->bytes + ready), bytes, POPULATE_WRITE);
}

/* If the tool has read everything, the ring begins anew before its end: its first part has its
 * pages already, here and in the tool. What is skipped is free again at the tool's next reading; as
 * much as was used so far must do until then. */
static bool ring_early(uint64_t used, uint32_t at)
{
    return used == 0 && at >= EARLY;
}

void *ring_take(struct ring *ring, uint32_t bytes)
{
    struct channel *channel = ring->channel;
    uint64_t head = __atomic_load_n(&channel->ring_head, __ATOMIC_RELAXED);
    uint32_t at, pad;
    do {
        uint64_t used = head - __atomic_load_n(&channel->ring_tail, __ATOMIC_ACQUIRE);
        at = (uint32_t)(head & (CHANNEL_RING_BYTES - 1));
        uint32_t behind = (uint32_t)CHANNEL_RING_BYTES - at;
        pad = behind < bytes || ring_early(used, at) ? behind : 0;
        if (used + pad + bytes > (uint64_t)CHANNEL_RING_BYTES)
            return NULL;
    } while (!__atomic_compare_exchange_n(&channel->ring_head, &head, head + pad + bytes, false,
                                          __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
    if (pad) {
        uint32_t *entry = (uint32_t *)(void *)(ring->bytes + at);
        entry[1] = pad;
        ring_publish(entry, EVENT_PAD);
        at = 0;
    }
    ring_prepare(ring, at + bytes);
    return ring->bytes + at;
}

void ring_publish(void *entry, enum event_kind kind)
{
    __atomic_store_n((uint32_t *)entry, kind, __ATOMIC_RELEASE);
}
