/* The writing end of the channel's ring, for all threads. Never waits: an entry that does not fit
 * is dropped. */
#pragma once

#include "wire/channel.h"

#include <stdbool.h>

struct ring {
    struct channel *channel;
    uint8_t *bytes;
    uint32_t ready; /* so far its pages are there */
};

/* Room for an entry of `bytes` (a multiple of 8) in one piece; NULL: the tool is behind. Its first
 * word, the kind, is zero and must stay so until the rest is written. */
void *ring_take(struct ring *ring, uint32_t bytes);
/* Publishes the entry: stores its kind. */
void ring_publish(void *entry, enum event_kind kind);
