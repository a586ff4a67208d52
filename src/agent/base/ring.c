#include "agent/base/ring.h"

#include <stddef.h>

void *ring_take(struct ring *ring, uint32_t bytes)
{
    struct channel *channel = ring->channel;
    uint64_t head = __atomic_load_n(&channel->ring_head, __ATOMIC_RELAXED);
    uint32_t at, pad;
    do {
        uint64_t used = head - __atomic_load_n(&channel->ring_tail, __ATOMIC_ACQUIRE);
        at = (uint32_t)(head & (CHANNEL_RING_BYTES - 1));
        uint32_t behind = (uint32_t)CHANNEL_RING_BYTES - at;
        pad = behind < bytes ? behind : 0;
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
    return ring->bytes + at;
}

void ring_publish(void *entry, enum event_kind kind)
{
    __atomic_store_n((uint32_t *)entry, kind, __ATOMIC_RELEASE);
}
