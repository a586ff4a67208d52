#include "agent/ring.h"

#include <stddef.h>

void *ring_take(struct ring *ring, uint32_t bytes)
{
    struct channel *channel = ring->channel;
    uint64_t head = channel->ring_head;
    uint64_t used = head - __atomic_load_n(&channel->ring_tail, __ATOMIC_ACQUIRE);
    uint32_t at = (uint32_t)(head & (CHANNEL_RING_BYTES - 1));
    uint32_t behind = (uint32_t)CHANNEL_RING_BYTES - at;
    uint32_t pad = behind < bytes ? behind : 0;
    if (used + pad + bytes > (uint64_t)CHANNEL_RING_BYTES)
        return NULL;
    if (pad) {
        uint32_t *entry = (uint32_t *)(void *)(ring->bytes + at);
        entry[0] = EVENT_PAD;
        entry[1] = pad;
        __atomic_store_n(&channel->ring_head, head + pad, __ATOMIC_RELEASE);
        at = 0;
    }
    return ring->bytes + at;
}

void ring_publish(struct ring *ring, uint32_t bytes)
{
    __atomic_store_n(&ring->channel->ring_head, ring->channel->ring_head + bytes, __ATOMIC_RELEASE);
}
