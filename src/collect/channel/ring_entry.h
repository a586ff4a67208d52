/* An entry of a ring that another process writes: copied before it is read, its length checked. */
#pragma once

#include "base/vec.h"

#include <stdint.h>

struct ring_bytes {
    VEC(unsigned char);
};

/* Copies the entry at `at` (bytes ever read) of a ring of ring_bytes, a power of two, of which
 * `published` were ever written; of a pad only its header. Returns its length; 0: it makes no
 * sense. */
uint32_t ring_entry_copy(struct ring_bytes *into, const void *ring, uint64_t ring_bytes,
                         uint64_t at, uint64_t published);
