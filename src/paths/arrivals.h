/* Where control comes into the middle of functions from elsewhere: at symbols within them, at
 * landing pads, where data point to or endbr64 allows it, and by direct branches of other
 * functions, as hand-written code and unnamed parts of functions have them. All that one must know
 * of the rest of a module to number the paths of one function. */
#pragma once

#include "base/vec.h"
#include "program/symbols/symbols.h"

struct image;

struct path_arrivals {
    VEC(struct svma); /* sorted, each once; never where a function is entered */
};

void path_arrivals_find(struct path_arrivals *arrivals, const struct image *image,
                        const struct symbols *symbols);

/* Those of one function, appended; sorted within each of its ranges. */
void path_arrivals_pick(const struct path_arrivals *arrivals, const struct symbols *symbols,
                        function_id function, struct path_arrivals *ret);
