#include "infer/costs.h"

#include <math.h>

/* Of what can be changed: not of what is ruled out or firm. */
static void most_take(const struct costs *costs, const struct infer_count *count,
                      enum cost_kind kind, int64_t *most)
{
    struct unit_cost cost = costs_of(costs, count, kind);
    if (cost.lower <= COST_MOST && cost.lower > *most)
        *most = cost.lower;
}

static int64_t most_of(const struct costs *costs, const struct infer_problem *problem)
{
    int64_t most = 0;
    for (size_t i = 0; i < problem->blocks.n; i++)
        most_take(costs, &problem->blocks.at[i].ran,
                  i == problem->entry ? COST_ENTRY_BLOCK : COST_BLOCK, &most);
    for (size_t i = 0; i < problem->edges.n; i++)
        most_take(costs, &problem->edges.at[i].gone, COST_EDGE, &most);
    return most;
}

struct costs costs_make(const struct infer_problem *problem, enum infer_method method)
{
    struct costs costs = {
        .method = method, .grain = (double)problem->grain, .points = problem->points};
    double sum = 0;
    for (size_t i = 0; i < problem->blocks.n; i++)
        sum += (double)problem->blocks.at[i].ran.seen / costs.grain;
    double mean = problem->blocks.n ? sum / (double)problem->blocks.n : 0;
    costs.base = sqrt(fmax(mean, 1));
    costs.most = most_of(&costs, problem);
    return costs;
}

static int64_t cost_clamp(double cost)
{
    return cost < 1 ? 1 : cost > COST_MOST ? COST_MOST : (int64_t)cost;
}

/* k / ln(w + 2) with k = b for raising and 50 b for lowering. The root b is common to all costs of
 * a function, so only their proportions matter; it is kept within what integers tell apart. */
static struct unit_cost cost_levin(const struct costs *costs, const struct infer_count *count)
{
    double seen = (double)count->seen / costs->grain;
    double raise = 20 * fmin(costs->base, 100) / log(seen + 2);
    return (struct unit_cost){cost_clamp(raise), cost_clamp(50 * raise)};
}

/* LLVM's constants. Edges that are not measured cost nothing, blocks that are not likewise. */
static struct unit_cost cost_profi(const struct infer_count *count, enum cost_kind kind)
{
    if (!count->measured)
        return (struct unit_cost){0, 0};
    if (kind == COST_ENTRY_BLOCK)
        return (struct unit_cost){40, 10};
    return (struct unit_cost){count->seen ? 10 : 11, 20};
}

/* Samples of single places err by how long instructions take, and of that their number tells
 * nothing: all blocks hold equally firmly, raised more easily than lowered because samples miss and
 * do not invent. What is likely by the code alone decides where they leave a choice. */
static struct unit_cost cost_points(const struct infer_count *count)
{
    if (!count->measured)
        return (struct unit_cost){10, 10};
    return (struct unit_cost){count->seen ? 1000 : 1100, 2000};
}

/* The likelihood of a deviation falls with its size in standard deviations, so one unit of it costs
 * as the inverse of that. No count is known better than to one grain: being seen once. What was
 * never seen, though the code around it was, is next to it. */
static struct unit_cost cost_walks(const struct costs *costs, const struct infer_count *count)
{
    const double firm = 1e5, loose = 1e3;
    if (!count->measured)
        return (struct unit_cost){cost_clamp(loose), cost_clamp(loose)};
    double seen = (double)count->seen, sd = isfinite(count->sd) ? count->sd : seen;
    double each = firm * costs->grain / fmax(sd, costs->grain);
    return (struct unit_cost){cost_clamp(count->seen ? each : 2 * each), cost_clamp(each)};
}

struct unit_cost costs_of(const struct costs *costs, const struct infer_count *count,
                          enum cost_kind kind)
{
    if (count->ruled && !count->seen)
        return (struct unit_cost){COST_RULED, COST_RULED};
    if (count->firm)
        return (struct unit_cost){COST_FIRM, COST_FIRM};
    if (kind == COST_OUTSIDE && !count->measured)
        return (struct unit_cost){0, 0};
    switch (costs->method) {
    case INFER_LEVIN: return cost_levin(costs, count);
    case INFER_PROFI: return cost_profi(count, kind);
    case INFER_CONFIDENCE:
    case INFER_CLASSES:
    case INFER_PERFECT:
    case INFER_STATIC: break;
    }
    return costs->points ? cost_points(count) : cost_walks(costs, count);
}

struct unit_cost costs_of_class(const struct costs *costs, enum infer_class sampled)
{
    return sampled == CLASS_OVER ? (struct unit_cost){costs->most, 0}
                                 : (struct unit_cost){0, costs->most};
}
