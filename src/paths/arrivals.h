/* Places in the middle of functions that control enters from elsewhere: symbols inside functions,
 * landing pads, code that data points to, endbr64, and direct branches from other functions
 * (hand-written code, unnamed parts). Numbering the paths of one function needs no more of the rest
 * of the module. */
#pragma once

#include "base/vec.h"
#include "program/symbols/symbols.h"

struct image;

struct path_arrivals {
    VEC(struct svma); /* sorted, unique; never the entry of a function */
};

void path_arrivals_find(struct path_arrivals *arrivals, const struct image *image,
                        const struct symbols *symbols);

/* Appends those that the file states, in any order: all but branches from other functions, which
 * only the code shows. */
void path_arrivals_stated(struct path_arrivals *arrivals, const struct image *image,
                          const struct symbols *symbols);

/* Sorts them; each once. */
void path_arrivals_settle(struct path_arrivals *arrivals);

/* Appends those of one function; sorted within each of its ranges. */
void path_arrivals_pick(const struct path_arrivals *arrivals, const struct symbols *symbols,
                        function_id function, struct path_arrivals *ret);
