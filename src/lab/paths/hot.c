#include "lab/paths/hot.h"

#include "analysis/paths/hot_paths.h"

#include <stdlib.h>

#define HOT 0.01

/* Dense: at least the average of misses, or ticks, an instruction; all of it, where there are none
 * of them. */
enum class { CLASS_DENSE, CLASS_SPARSE, CLASS_COLD, CLASSES };

struct sum {
    double n, paths, instructions, weight;
};

static double instructions_of(const struct hot_path *path)
{
    return (double)path->quantity.count * path->instructions;
}

/* Misses in the first cache, as the paper has it; else ticks, or instructions. */
static void paths_make(struct hot_paths *paths, const struct lab_recording *recording)
{
    hot_paths_make(paths, recording->scene, 0, 1);
    if (paths->has_modelled)
        hot_paths_weigh(paths, METRIC_L1D);
}

static double weight_of(const struct hot_paths *paths, const struct hot_path *path)
{
    return hot_path_metric(path, paths->metric);
}

static double weight_all(const struct hot_paths *paths)
{
    return hot_paths_metric(paths, paths->metric);
}

static enum class class_of(const struct hot_paths *paths, double instructions, double weight) {
    double all = weight_all(paths); if (weight < HOT * all || weight <= 0) return CLASS_COLD;
    return weight / instructions >= all / paths->instructions ? CLASS_DENSE : CLASS_SPARSE;
}

static void sum_take(struct sum *sum, double paths, double instructions, double weight)
{
    sum->n++;
    sum->paths += paths;
    sum->instructions += instructions;
    sum->weight += weight;
}

/* ---- paths */

static void paths_fill(struct lab_row *row, const struct lab_recording *recording,
                       const struct lab_recording *base)
{
    (void)base;
    struct hot_paths paths;
    struct sum sums[CLASSES] = {0};
    paths_make(&paths, recording);
    for (size_t i = 0; i < paths.n; i++) {
        double instructions = instructions_of(&paths.at[i]),
               weight = weight_of(&paths, &paths.at[i]);
        sum_take(&sums[class_of(&paths, instructions, weight)], 1, instructions, weight);
    }
    double all = weight_all(&paths), executed = 0;
    for (size_t i = 0; i < paths.n; i++)
        executed += hot_path_count(&paths, &paths.at[i]).value * paths.at[i].instructions;
    lab_cell(row, "%zu", paths.n);
    lab_cell(row, "%.1e", executed);
    if (paths.metric != METRIC_INSTRUCTIONS)
        lab_cell(row, "%.1e", all);
    else
        lab_text(row, "");
    for (int class = 0; class < CLASSES; class ++) {
        lab_cell(row, "%.0f", sums[class].n);
        lab_share(row, sums[class].instructions, paths.instructions);
        lab_share(row, sums[class].weight, all);
    }
    hot_paths_release(&paths);
}

/* ---- functions */

static int by_function(const void *a, const void *b)
{
    const struct hot_path *x = a, *y = b;
    if (x->module != y->module)
        return x->module < y->module ? -1 : 1;
    return x->function < y->function ? -1 : x->function > y->function;
}

static void functions_sum(struct hot_paths *paths, struct sum sums[CLASSES])
{
    if (paths->n)
        qsort(paths->at, paths->n, sizeof *paths->at, by_function);
    for (size_t i = 0; i < paths->n;) {
        size_t first = i;
        double instructions = 0, weight = 0;
        for (; i < paths->n && by_function(&paths->at[first], &paths->at[i]) == 0; i++) {
            instructions += instructions_of(&paths->at[i]);
            weight += weight_of(paths, &paths->at[i]);
        }
        sum_take(&sums[class_of(paths, instructions, weight)], (double)(i - first), instructions,
                 weight);
    }
}

static void functions_fill(struct lab_row *row, const struct lab_recording *recording,
                           const struct lab_recording *base)
{
    (void)base;
    struct hot_paths paths;
    struct sum sums[CLASSES] = {0};
    paths_make(&paths, recording);
    functions_sum(&paths, sums);
    for (int class = 0; class < CLASSES; class ++) {
        lab_cell(row, "%.0f", sums[class].n);
        lab_cell(row, "%.1f", sums[class].n > 0 ? sums[class].paths / sums[class].n : 0);
        lab_share(row, sums[class].weight, weight_all(&paths));
    }
    hot_paths_release(&paths);
}

static const char *const paths_columns[] = {
    "recording",  "paths",        "inst",        "misses",      "dense",
    "dense inst", "dense misses", "sparse",      "sparse inst", "sparse misses",
    "cold",       "cold inst",    "cold misses", NULL};
const struct lab_table lab_hot_paths = {
    .name = "paths-4",
    .title = "hot paths: at least 1 % of the misses in the first cache of a model, of ticks, or of "
             "instructions: what there is",
    .columns = paths_columns,
    .has = hot_paths_there,
    .fill = paths_fill};

static const char *const functions_columns[] = {
    "recording",     "dense", "dense paths/proc", "dense misses", "sparse", "sparse paths/proc",
    "sparse misses", "cold",  "cold paths/proc",  "cold misses",  NULL};
const struct lab_table lab_hot_functions = {
    .name = "paths-5",
    .title = "hot procedures: at least 1 % of the misses in the first cache of a model, of ticks, "
             "or of instructions: what there is",
    .columns = functions_columns,
    .has = hot_paths_there,
    .fill = functions_fill};
