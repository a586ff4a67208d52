/* The writing end of the channel's ring. Never waits: an entry that does not fit is not written. */
#pragma once

#include "wire/channel.h"

#include <stdbool.h>

struct ring {
    struct channel *channel;
    uint8_t *bytes;
};

/* Room for an entry of `bytes` (a multiple of 8) in one piece; NULL: the tool is behind. */
void *ring_take(struct ring *ring, uint32_t bytes);
/* Shows the entry taken last to the tool. */
void ring_publish(struct ring *ring, uint32_t bytes);
