/* Function bounds from .eh_frame: nearly all code has them, even in stripped files. */
#pragma once

#include "base/vec.h"
#include "wire/address.h"

struct image;

struct frame {
    struct svma start;
    uint64_t bytes;
};
struct frames {
    VEC(struct frame); /* by start; empty and unreadable entries left out */
};

/* A file without .eh_frame, or with a broken one, gives what could be read before the break. */
void frames_read(struct frames *frames, const struct image *image);
void frames_release(struct frames *frames);
