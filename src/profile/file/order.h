/* Rows in the order of the file: by their first integer, then the second, and so on.
 *
 * Sorted digit by digit, the last integer first. Rows of one recording differ in few of the bits
 * that they could have, and digits in which all are equal cost one look; comparing would take
 * log2(n) steps a row, each of them hard to foresee. */
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
/* Makes sorted[] of rows[] by their first n_fields integers; equal rows stay as they are. */
void row_order_make(struct row_order *order, size_t n_fields);
