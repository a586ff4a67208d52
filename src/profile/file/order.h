/* Sorts rows in file order: by their first integer, then the second, and so on.
 *
 * A radix sort, last integer first. Rows of one recording differ in few bits, and a digit in which
 * all rows agree costs one look. A comparison sort takes log2(n) hard-to-predict branches per row.
 */
#pragma once

#include "profile/file/row.h"

struct row_order {
    struct rows {
        VEC(struct row);
    } rows; /* in any order: the caller's */
    struct row_places {
        VEC(struct row_place {
            uint64_t word; /* scratch */
            uint32_t index;
        });
    } sorted, other; /* other: scratch */
};

void row_order_release(struct row_order *order);
/* Sorts sorted[] by word; equal words stay as they are. */
void row_places_sort(struct row_order *order);
/* Makes sorted[] of rows[] by their first n_fields integers; equal rows stay as they are. */
void row_order_make(struct row_order *order, size_t n_fields);
