/* From sums of windows to figures with intervals, and the order within rows. */
#include "analysis/loops/loop_fold.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

uint32_t loop_distance_bin(uint32_t iterations)
{
    uint32_t bin = iterations < 2 ? 0 : 32u - (uint32_t)__builtin_clz(iterations - 1);
    return bin < LOOP_DISTANCES ? bin : LOOP_DISTANCES - 1;
}

const char *loop_distance_name(uint32_t bin)
{
    static const char *const names[LOOP_DISTANCES] = {
        "1",        "2",        "3 to 4",    "5 to 8",     "9 to 16",
        "17 to 32", "33 to 64", "65 to 128", "129 to 256", "more"};
    return names[bin];
}

/* A ratio of two sums over windows, with Student's interval. */
struct ratio {
    double y, x, yy, xy, xx;
    size_t n; /* windows with either */
};

static void ratio_add(struct ratio *ratio, double y, double x)
{
    ratio->y += y;
    ratio->x += x;
    ratio->yy += y * y;
    ratio->xy += x * y;
    ratio->xx += x * x;
    ratio->n++;
}

static struct estimate share_of(const struct ratio *ratio)
{
    if (!(ratio->x > 0))
        return (struct estimate){NAN, NAN, NAN};
    double value = ratio->y / ratio->x, n = (double)ratio->n;
    if (ratio->n < 2) /* one window says nothing about the others */
        return (struct estimate){value, 0, 1};
    double spread = ratio->yy - 2 * value * ratio->xy + value * value * ratio->xx;
    double wide = student_t(ratio->n - 1) * sqrt(fmax(spread, 0) * n / (n - 1)) / ratio->x;
    return (struct estimate){value, fmax(0, value - wide), fmin(1, value + wide)};
}

static int by_address(const void *a, const void *b)
{
    const struct loop_access *x = a, *y = b;
    return x->at < y->at ? -1 : x->at > y->at;
}

static int by_carried(const void *a, const void *b)
{
    const struct loop_carried *x = a, *y = b;
    if (x->n != y->n)
        return x->n > y->n ? -1 : 1;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static int by_calls(const void *a, const void *b)
{
    const struct loop_call *x = a, *y = b;
    if (x->n != y->n)
        return x->n > y->n ? -1 : 1;
    return x->function < y->function ? -1 : x->function > y->function;
}

static int by_stride(const void *a, const void *b)
{
    const struct loop_stride *x = a, *y = b;
    if (x->n != y->n)
        return x->n > y->n ? -1 : 1;
    return x->bytes < y->bytes ? -1 : x->bytes > y->bytes;
}

static void row_settle(struct loop_row *row)
{
    if (row->accesses.n)
        qsort(row->accesses.at, row->accesses.n, sizeof *row->accesses.at, by_address);
    for (size_t i = 0; i < row->accesses.n; i++)
        qsort(row->accesses.at[i].strides, LOOP_STRIDES, sizeof(struct loop_stride), by_stride);
    if (row->carried.n)
        qsort(row->carried.at, row->carried.n, sizeof *row->carried.at, by_carried);
    if (row->calls.n)
        qsort(row->calls.at, row->calls.n, sizeof *row->calls.at, by_calls);
}

/* ---- iterations */

static int by_iterations(const void *a, const void *b)
{
    const struct loop_run *x = a, *y = b;
    if (x->iterations != y->iterations)
        return x->iterations < y->iterations ? -1 : 1;
    return x->cut - y->cut;
}

/* The mean of runs of which some are cut, as the lives of patients are estimated who were lost from
 * sight (Kaplan and Meier); without one group of windows, unless `without` is none of them. */
static double mean_of(const struct loop_runs *runs, uint32_t without, bool *ret_more)
{
    size_t left = 0;
    double longer = 1, mean = 0;
    uint32_t at = 0;
    for (size_t i = 0; i < runs->n; i++)
        left += runs->at[i].group != without;
    for (size_t i = 0; i < runs->n; i++) {
        const struct loop_run *run = &runs->at[i];
        if (run->group == without)
            continue;
        mean += longer * (run->iterations - at);
        at = run->iterations;
        if (!run->cut)
            longer *= 1 - 1.0 / (double)left;
        left--;
    }
    *ret_more = longer > 1e-9;
    return mean;
}

/* The interval is that of leaving out one group of windows after the other (jackknife): runs of one
 * window are alike. */
static void trips_estimate(struct loop_row *row)
{
    double squares = 0;
    uint32_t groups = 0, seen = 0;
    bool more;
    row->trips = (struct estimate){NAN, NAN, NAN};
    if (!row->runs.n)
        return;
    qsort(row->runs.at, row->runs.n, sizeof *row->runs.at, by_iterations);
    row->trips.value = mean_of(&row->runs, LOOP_GROUPS, &row->more);
    for (size_t i = 0; i < row->runs.n; i++)
        seen |= 1u << row->runs.at[i].group;
    groups = (uint32_t)__builtin_popcount(seen);
    if (groups < 2)
        return;
    for (uint32_t group = 0; group < LOOP_GROUPS; group++)
        if (seen >> group & 1) {
            double apart = mean_of(&row->runs, group, &more) - row->trips.value;
            squares += apart * apart;
        }
    double wide = student_t(groups - 1) * sqrt(squares * (groups - 1) / groups);
    row->trips.lo = fmax(0, row->trips.value - wide);
    row->trips.hi = row->more ? (double)NAN : row->trips.value + wide;
}

static void estimates_make(struct loop_fold *fold)
{
    size_t windows = fold->window_sizes.n;
    struct ratio *shares = mem_alloc((fold->rows.n + 1) * sizeof *shares);
    double weights = 0, squares = 0;
    for (size_t i = 0; i < windows; i++) {
        weights += fold->window_weights.at[i];
        squares += fold->window_weights.at[i] * fold->window_weights.at[i];
    }
    for (size_t i = 0; i < fold->sums.n; i++) {
        const struct loop_sum *sum = &fold->sums.at[i];
        double weight = fold->window_weights.at[sum->window];
        ratio_add(&shares[sum->row], weight * sum->own / fold->window_sizes.at[sum->window],
                  weight);
    }
    for (size_t i = 0; i < fold->rows.n; i++) {
        shares[i].x = weights; /* windows without the loop count, too */
        shares[i].xx = squares;
        shares[i].n = windows;
        fold->rows.at[i].share = share_of(&shares[i]);
        trips_estimate(&fold->rows.at[i]);
    }
    mem_free(shares);
}

void loop_fold_settle(struct loop_fold *fold)
{
    estimates_make(fold);
    for (size_t i = 0; i < fold->rows.n; i++) {
        row_settle(&fold->rows.at[i]);
        fold->rows.at[i].inner = true;
        fold->rows.at[i].parent = UINT32_MAX;
    }
    for (size_t i = 0; i < fold->rows.n; i++) {
        uint32_t outer = fold->code->loops.at[fold->rows.at[i].loop].parent;
        uint32_t row = outer == CODE_LOOP_NONE ? MAP_NONE : map_find(&fold->keys, &outer);
        if (row == MAP_NONE)
            continue;
        fold->rows.at[i].parent = row;
        fold->rows.at[row].inner = false;
    }
}
