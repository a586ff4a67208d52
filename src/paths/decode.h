/* From the number of a path to the arcs that it takes. */
#pragma once

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

struct path_numbering;

/* The first is an ARC_BEGIN, then come ARC_STEP, the last is an ARC_END or an ARC_BREAK. */
struct path_arcs {
    VEC(uint32_t);
};

/* False: no path has this number. */
bool path_decode(const struct path_numbering *numbering, uint64_t path, struct path_arcs *ret);
