/* Function bounds from .eh_frame: nearly all code has them, even in stripped files. */
#pragma once

#include "base/vec.h"
#include "wire/address.h"

#include <stdbool.h>

struct image;

struct frame {
    struct svma start;
    uint64_t bytes;
    bool inside; /* where it begins, a frame is there already: a part of a function */
    bool ahead;  /* it begins a byte ahead of the code that it describes */
};
static inline uint64_t frame_code(const struct frame *frame)
{
    return frame->start.v + frame->ahead;
}

struct frames {
    VEC(struct frame); /* by start; empty and unreadable entries left out */
};

/* A file without .eh_frame, or with a broken one, gives what could be read before the break. */
void frames_read(struct frames *frames, const struct image *image);
void frames_release(struct frames *frames);
