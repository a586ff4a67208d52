/* The values of a trace, which wait until many passages through the same exit have come: then those
 * of a place lie together.
 *
 * One by one each value is of another place, and where that counts its values is fetched, and
 * guessed wrong, for each. Here what an exit has recorded is one row, of as many words each time;
 * rows of an exit are put one under the other, and a column of them is counted at once. Within an
 * exit values come in the order in which they were seen, between exits in none: for strides, and
 * for who must know who called, this is not the way. */
#pragma once

#include "values/value_places.h"

struct value_stack {
    uint64_t *words;  /* NULL: none yet */
    uint32_t n, room; /* rows */
};

struct value_rows {
    VEC(struct value_stack);
}; /* by exit id */

/* Values of one item, `apart` words from each other. */
struct value_rows_column {
    const uint64_t *words;
    uint32_t apart, n;
};
typedef void value_rows_see(void *to, uint32_t place, const struct value_rows_column *column);

void value_rows_release(struct value_rows *rows);
/* A window that value_places_admit has admitted; `see` gets columns of exits that have enough rows,
 * which are forgotten. */
void value_rows_add(struct value_rows *rows, struct value_places *places,
                    const struct payload_window *window, value_rows_see *see, void *to);
/* All that still wait. */
void value_rows_end(struct value_rows *rows, struct value_places *places, value_rows_see *see,
                    void *to);
