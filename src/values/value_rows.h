/* Values of a trace that wait until an exit was passed many times: then the values of a place are
 * counted together.
 *
 * One by one, each value belongs to another place, whose counts must be fetched, with mispredicted
 * branches. Here the words of an exit are one row. Rows of an exit are stacked, and each column is
 * counted at once. Within an exit values stay in order, between exits they do not: so this is not
 * for strides, nor for values by callers. */
#pragma once

#include "values/value_places.h"

struct value_stack {
    uint64_t *words;
    uint32_t n, room; /* rows */
};

struct value_rows {
    VEC(struct value_stack);
}; /* by exit id */

/* n values of one item, `apart` words from each other. */
struct value_rows_column {
    const uint64_t *words;
    uint32_t apart, n;
};
typedef void value_rows_see(void *to, uint32_t place, const struct value_rows_column *column);

void value_rows_release(struct value_rows *rows);
/* Adds a window that value_places_admit has admitted. `see` gets the columns of exits with enough
 * rows, which are then cleared. */
void value_rows_add(struct value_rows *rows, struct value_places *places,
                    const struct payload_window *window, value_rows_see *see, void *to);
/* Hands over all that still wait. */
void value_rows_end(struct value_rows *rows, struct value_places *places, value_rows_see *see,
                    void *to);
