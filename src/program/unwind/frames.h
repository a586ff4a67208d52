/* Function bounds from .eh_frame. Nearly all code has them, even in stripped files. */
#pragma once

#include "base/vec.h"
#include "wire/address.h"

#include <stdbool.h>

struct image;

struct frame {
    struct svma start;
    uint64_t bytes;
    bool inside; /* it starts inside a frame: a part of a function */
    bool ahead;  /* it starts one byte before the code that it describes */
};
static inline uint64_t frame_code(const struct frame *frame)
{
    return frame->start.v + frame->ahead;
}

struct frames {
    VEC(struct frame); /* by start; without empty and unreadable entries */
};

/* Without .eh_frame: none. With a broken one: the entries before the damage. */
void frames_read(struct frames *frames, const struct image *image);
void frames_release(struct frames *frames);
