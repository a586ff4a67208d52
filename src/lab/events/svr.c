#include "lab/events/svr.h"

#include "base/memory.h"
#include "compress/random.h"

#include <math.h>

enum { LOOKS = 8 }; /* turns between two looks at the objectives: these take as long as a turn */

struct svr {
    const struct svr_problem *problem;
    double *weights;
    double *multipliers; /* of rows, between -cost and cost */
    double *squares;     /* of rows: |x|^2 */
    uint32_t *order;
    struct random random;
};

static double product(const struct svr *svr, size_t row)
{
    const double *x = svr->problem->x + row * svr->problem->columns;
    double sum = 0;
    for (size_t i = 0; i < svr->problem->columns; i++)
        sum += svr->weights[i] * x[i];
    return sum;
}

/* The multiplier b of a row minimises h (b' - b)^2 / 2 + g (b' - b) + epsilon |b'|: a step down the
 * slope on either side of 0, or 0 itself if both slopes lead there. */
static double multiplier_best(const struct svr *svr, size_t row, double gradient)
{
    double before = svr->multipliers[row], square = svr->squares[row];
    double epsilon = svr->problem->epsilon, cost = svr->problem->cost;
    double above = before - (gradient + epsilon) / square;
    double below = before - (gradient - epsilon) / square;
    double best = above > 0 ? above : below < 0 ? below : 0;
    return best > cost ? cost : best < -cost ? -cost : best;
}

static void row_step(struct svr *svr, size_t row)
{
    const struct svr_problem *problem = svr->problem;
    const double *x = problem->x + row * problem->columns;
    if (svr->squares[row] <= 0)
        return;
    double best = multiplier_best(svr, row, product(svr, row) - problem->y[row]);
    double change = best - svr->multipliers[row];
    svr->multipliers[row] = best;
    for (size_t i = 0; change != 0 && i < problem->columns; i++)
        svr->weights[i] += change * x[i];
}

static void turn(struct svr *svr)
{
    size_t n = svr->problem->rows;
    for (size_t i = 0; i < n; i++) {
        size_t other = i + random_below(&svr->random, n - i);
        uint32_t row = svr->order[other];
        svr->order[other] = svr->order[i];
        svr->order[i] = row;
        row_step(svr, row);
    }
}

static void objectives(const struct svr *svr, struct svr_result *result)
{
    const struct svr_problem *problem = svr->problem;
    double half = 0, loss = 0, dual = 0;
    for (size_t i = 0; i < problem->columns; i++)
        half += svr->weights[i] * svr->weights[i] / 2;
    for (size_t i = 0; i < problem->rows; i++) {
        double off = fabs(product(svr, i) - problem->y[i]) - problem->epsilon;
        loss += off > 0 ? off : 0;
        dual += problem->epsilon * fabs(svr->multipliers[i]) - problem->y[i] * svr->multipliers[i];
    }
    result->primal = half + problem->cost * loss;
    result->dual = half + dual;
}

struct svr_result svr_solve(const struct svr_problem *problem, uint32_t turns_most, double *weights)
{
    struct svr_result result = {0};
    struct svr svr = {.problem = problem,
                      .weights = weights,
                      .multipliers = mem_alloc(problem->rows * sizeof(double) + 1),
                      .squares = mem_alloc(problem->rows * sizeof(double) + 1),
                      .order = mem_alloc(problem->rows * sizeof(uint32_t) + 1),
                      .random = {1}};
    for (size_t i = 0; i < problem->columns; i++)
        weights[i] = 0;
    for (size_t i = 0; i < problem->rows; i++) {
        const double *x = problem->x + i * problem->columns;
        svr.order[i] = (uint32_t)i;
        for (size_t j = 0; j < problem->columns; j++)
            svr.squares[i] += x[j] * x[j];
    }
    do {
        turn(&svr);
        if (result.turns++ % LOOKS == 0)
            objectives(&svr, &result);
    } while (result.turns < turns_most && result.primal + result.dual > 1e-3 * fabs(result.primal));
    mem_free(svr.multipliers);
    mem_free(svr.squares);
    mem_free(svr.order);
    return result;
}
