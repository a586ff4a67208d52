/* Linear support vector regression with an epsilon-insensitive loss:
 *
 *     minimise  |w|^2 / 2 + cost * sum over rows of max(0, |w x - y| - epsilon)
 *
 * Solved in the dual, one row after the other: of each, its multiplier is set to the minimum of a
 * parabola with a kink, and w follows. A constant column makes an offset, which counts in |w|. Rows
 * come in an order that is shuffled anew in every turn, from a fixed seed: the same input gives the
 * same weights. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct svr_problem {
    const double *x; /* rows times columns, row by row */
    const double *y;
    size_t rows, columns;
    double cost, epsilon;
};

struct svr_result {
    uint32_t turns;      /* over all rows */
    double primal, dual; /* the minimum lies between -dual and primal */
};

/* weights: one for each column. Ends when both objectives agree to a thousandth, or after
 * `turns_most`. */
struct svr_result svr_solve(const struct svr_problem *problem, uint32_t turns_most,
                            double *weights);
