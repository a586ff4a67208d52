/* Decodes a path number into the arcs of the path. */
#pragma once

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

struct path_numbering;

/* ARC_BEGIN first, then ARC_STEP, at last ARC_END or ARC_BREAK. */
struct path_arcs {
    VEC(uint32_t);
};

/* False: no path has this number. */
bool path_decode(const struct path_numbering *numbering, uint64_t path, struct path_arcs *ret);
