#include "lab/paths/metrics.h"

#include "analysis/paths/hot_paths.h"
#include "base/err.h"
#include "profile/model_costs.h"
#include "profile/profile.h"

#include <math.h>

/* Instructions come first; then what the model says, in the order of the paper. */
enum { METRICS = 8 };
static const enum model_cost costs[METRICS] = {MODEL_COSTS,       COST_CYCLES,   COST_L1D,
                                               COST_L1D_WRITES,   COST_L1I,      COST_FLUSH_STALLS,
                                               COST_STORE_STALLS, COST_FP_STALLS};

/* How much of the metrics is along paths or in contexts, and all of it; 0: not recorded. */
struct amounts {
    double in[METRICS], all[METRICS];
};

/* The paper tells loads from stores. */
static void loads_find(double *cost)
{
    cost[2] -= cost[3];
}

static struct amounts along_paths(const struct lab_recording *recording)
{
    struct amounts amounts = {0};
    struct hot_paths paths;
    hot_paths_make(&paths, recording->scene, 0, 1);
    if (paths.has_modelled) {
        amounts.in[0] = paths.instructions;
        amounts.all[0] = (double)recording->profile->totals.instructions;
        for (int i = 1; i < METRICS; i++) {
            amounts.in[i] = paths.modelled[costs[i]];
            amounts.all[i] = paths.modelled[costs[i]] + (double)paths.elsewhere[costs[i]];
        }
    }
    hot_paths_release(&paths);
    loads_find(amounts.in);
    loads_find(amounts.all);
    return amounts;
}

/* Nodes of threads have what belongs to no context. */
static struct amounts in_contexts(const struct stacks *stacks)
{
    struct amounts amounts = {0};
    for (uint32_t i = 0; i < stacks->cells.n; i++) {
        const struct stack_cell *cell = map_key(&stacks->cells, i);
        bool inside = stacks_key(stacks, cell->node).parent != STACK_NONE;
        for (int m = 0; m < METRICS; m++) {
            uint32_t group = m ? model_cost_group(costs[m]) : STACK_INSTRUCTIONS;
            if (cell->group != group)
                continue;
            amounts.all[m] += (double)stacks->weights.at[i];
            amounts.in[m] += inside ? (double)stacks->weights.at[i] : 0;
        }
    }
    loads_find(amounts.in);
    loads_find(amounts.all);
    return amounts;
}

static void part_show(struct lab_row *row, const struct amounts *amounts, int metric)
{
    if (amounts->all[metric] > 0)
        lab_cell(row, "%.4f", amounts->in[metric] / amounts->all[metric]);
    else
        lab_text(row, "");
}

static double farthest(const struct amounts *a, const struct amounts *b)
{
    double most = 0;
    for (int i = 0; i < METRICS; i++)
        if (a->all[i] > 0 && b->all[i] > 0)
            most = fmax(most, fabs(a->in[i] / a->all[i] - b->in[i] / b->all[i]));
    return most;
}

static bool metrics_fill(struct lab_rows *rows, const struct lab_recording *all, size_t n,
                         struct err *err)
{
    double apart = 0;
    for (size_t r = 0; r < n; r++) {
        struct amounts paths = along_paths(&all[r]);
        struct amounts contexts = in_contexts(&all[r].profile->stacks);
        if (!(paths.all[1] > 0) && !(contexts.all[1] > 0))
            return err_set(err, ERR_FORMAT,
                           "%s: no model has seen it; gait record --exact=paths+contexts --core "
                           "CORE has the metrics",
                           all[r].file);
        struct lab_row *row = lab_row_add(rows);
        lab_text(row, lab_file_name(all[r].file));
        for (int i = 0; i < METRICS; i++) {
            const struct amounts *known = paths.all[i] > 0 ? &paths : &contexts;
            lab_cell(row, "%.3g", known->all[i]);
            part_show(row, &paths, i);
            part_show(row, &contexts, i);
        }
        apart = fmax(apart, farthest(&paths, &contexts));
    }
    lab_claim(rows,
              "along paths and in contexts metrics are alike: %s: they differ by %.4f at most",
              apart < 0.05 ? "holds" : "does not hold", apart);
    lab_claim(rows, "the average perturbation is small, with large errors for some programs: "
                    "cannot be judged: a model sees the program's own instructions alone, so there "
                    "is none");
    return true;
}

static const char *const columns[] = {"recording",
                                      "inst",
                                      "F",
                                      "C",
                                      "cycles",
                                      "F",
                                      "C",
                                      "read misses",
                                      "F",
                                      "C",
                                      "write misses",
                                      "F",
                                      "C",
                                      "code misses",
                                      "F",
                                      "C",
                                      "mispredict stalls",
                                      "F",
                                      "C",
                                      "store stalls",
                                      "F",
                                      "C",
                                      "FP stalls",
                                      "F",
                                      "C",
                                      NULL};
const struct lab_table lab_metrics = {
    .name = "paths-2m",
    .title = "metrics of a model, and how much of each is along paths (F) and in contexts (C)",
    .columns = columns,
    .recordings = metrics_fill};
