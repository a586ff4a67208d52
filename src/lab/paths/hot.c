#include "lab/paths/hot.h"

#include "analysis/paths/hot_paths.h"
#include "base/map.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Dense: at least the average of misses, or ticks, an instruction; all of it, where there are none
 * of them. */
enum class { CLASS_DENSE, CLASS_SPARSE, CLASS_COLD, CLASSES };

struct sum {
    double n, paths, instructions, weight;
};

/* What a row has, for the claims below the table. */
struct summary {
    const char *name;
    struct sum sums[CLASSES];
    double all; /* weight */
    double crossings;
};

struct summaries {
    VEC(struct summary);
    enum path_metric metric; /* of the first */
    const char *event;       /* that was counted in place of ticks; NULL: none */
    double hot;              /* the least share of what is hot */
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

static enum class class_of(const struct hot_paths *paths, double hot, double instructions,
                           double weight) {
    double all = weight_all(paths); if (weight < hot * all || weight <= 0) return CLASS_COLD;
    return weight / instructions >= all / paths->instructions ? CLASS_DENSE : CLASS_SPARSE;
}

static void sum_take(struct sum *sum, double paths, double instructions, double weight)
{
    sum->n++;
    sum->paths += paths;
    sum->instructions += instructions;
    sum->weight += weight;
}

/* What is hot, by a field of it. */
static double hot_of(const struct summary *summary, bool weight)
{
    const struct sum *dense = &summary->sums[CLASS_DENSE], *sparse = &summary->sums[CLASS_SPARSE];
    return weight ? dense->weight + sparse->weight : dense->n + sparse->n;
}

static double hot_share(const struct summary *summary)
{
    return summary->all > 0 ? hot_of(summary, true) / summary->all : 0;
}

/* ---- claims */

static const char *weight_text(const struct summaries *all)
{
    return all->metric == METRIC_L1D     ? "misses"
           : all->metric == METRIC_TICKS ? all->event ? all->event : "ticks"
                                         : "instructions";
}

/* For how many of these recordings it holds, and for which it does not, with how much of them is
 * hot. */
static const char *verdict(struct lab_rows *rows, const struct summaries *all,
                           bool (*about)(const struct summary *),
                           bool (*holds)(const struct summary *))
{
    char text[512], *end = text + sizeof text, *at = text;
    size_t n = 0, of = 0;
    for (size_t i = 0; i < all->n; i++) {
        of += about(&all->at[i]);
        n += about(&all->at[i]) && holds(&all->at[i]);
    }
    if (!of)
        return "cannot be judged, no recording has so many";
    if (n == of)
        return of == 1 ? "holds for the only one" : "holds for all";
    at += snprintf(at, (size_t)(end - at), "holds for %zu of %zu, not for", n, of);
    for (size_t i = 0; i < all->n && at < end; i++)
        if (about(&all->at[i]) && !holds(&all->at[i]))
            at += snprintf(at, (size_t)(end - at), " %s (%.0f: %.1f %%)", all->at[i].name,
                           hot_of(&all->at[i], false), 100 * hot_share(&all->at[i]));
    return arena_string(&rows->arena, text);
}

struct range {
    double n_low, n_high, share_low, share_high;
};

static struct range range_of(const struct summaries *all)
{
    struct range range = {HUGE_VAL, 0, HUGE_VAL, 0};
    for (size_t i = 0; i < all->n; i++) {
        double n = hot_of(&all->at[i], false), share = 100 * hot_share(&all->at[i]);
        range.n_low = fmin(range.n_low, n);
        range.n_high = fmax(range.n_high, n);
        range.share_low = fmin(range.share_low, share);
        range.share_high = fmax(range.share_high, share);
    }
    return range;
}

/* Paths. */
static double executed(const struct summary *summary)
{
    double n = 0;
    for (int class = 0; class < CLASSES; class ++)
        n += summary->sums[class].paths;
    return n;
}

static bool any(const struct summary *summary)
{
    return executed(summary) > 0;
}

/* As gcc and go have, that the paper treats apart. */
static bool many_paths(const struct summary *summary)
{
    return executed(summary) >= 5000;
}

/* The paper's ranges, of which what is better is as good. */
static bool few_paths(const struct summary *summary)
{
    return hot_of(summary, false) <= 28 && hot_share(summary) >= 0.59;
}

static bool hundredth(const struct summary *summary)
{
    return hot_of(summary, false) <= 0.02 * executed(summary) && hot_share(summary) >= 0.42;
}

static bool few_functions(const struct summary *summary)
{
    return hot_of(summary, false) <= 24 && hot_share(summary) >= 0.44;
}

static bool most_misses(const struct summary *summary)
{
    return hot_of(summary, false) <= 2 * 157 && hot_share(summary) >= 0.89;
}

static bool mostly_dense(const struct summary *summary)
{
    return summary->sums[CLASS_DENSE].n >= summary->sums[CLASS_SPARSE].n;
}

static void paths_claim(struct lab_rows *rows, const struct summaries *all)
{
    struct range range = range_of(all);
    double crossings = 0;
    for (size_t i = 0; i < all->n; i++)
        crossings += all->at[i].crossings / (double)all->n;
    if (all->hot >= 0.01)
        lab_claim(rows,
                  "few paths, 3 to 28 with at least 1 %% of the %s each, have 59 to 98 %% of them: "
                  "%s; %.0f to %.0f paths have %.1f to %.1f %%",
                  weight_text(all), verdict(rows, all, any, few_paths), range.n_low, range.n_high,
                  range.share_low, range.share_high);
    else
        lab_claim(
            rows,
            "with a threshold of %g %%, of programs with 5,000 paths or more about 1 %% of the "
            "paths have 42 to 56 %% of the %s (here: 2 %% at most, and 42 %% at least): %s; of "
            "all recordings %.0f to %.0f paths have %.1f to %.1f %%",
            100 * all->hot, weight_text(all), verdict(rows, all, many_paths, hundredth),
            range.n_low, range.n_high, range.share_low, range.share_high);
    if (all->metric != METRIC_INSTRUCTIONS)
        lab_claim(rows, "most hot paths are dense: %s", verdict(rows, all, any, mostly_dense));
    lab_claim(rows, "a block of a hot path is on 16 paths: %s: %.1f, mean of %zu",
              crossings >= 8 ? "holds, it is on many" : "does not hold", crossings, all->n);
}

static double paths_each(const struct sum *sum)
{
    return sum->n > 0 ? sum->paths / sum->n : 0;
}

/* Functions of both classes together. */
static double hot_paths_each(const struct summary *summary)
{
    const struct sum *dense = &summary->sums[CLASS_DENSE], *sparse = &summary->sums[CLASS_SPARSE];
    struct sum sum = {.n = dense->n + sparse->n, .paths = dense->paths + sparse->paths};
    return paths_each(&sum);
}

static void functions_claim(struct lab_rows *rows, const struct summaries *all)
{
    struct range range = range_of(all);
    double more = 0;
    for (size_t i = 0; i < all->n; i++) {
        double cold = paths_each(&all->at[i].sums[CLASS_COLD]);
        more += cold > 0 ? hot_paths_each(&all->at[i]) / cold / (double)all->n : 0;
    }
    if (all->hot >= 0.01)
        lab_claim(rows,
                  "few functions, 1 to 24, have 44 to 99 %% of the %s: %s; %.0f to %.0f functions "
                  "have %.1f to %.1f %%",
                  weight_text(all), verdict(rows, all, any, few_functions), range.n_low,
                  range.n_high, range.share_low, range.share_high);
    else
        lab_claim(rows,
                  "with a threshold of %g %%, of programs with 5,000 paths or more 75 to 157 "
                  "functions have 89 to 97 %% of the %s (here: twice as many at most, and 89 %% at "
                  "least): %s; of all recordings %.0f to %.0f functions have %.1f to %.1f %%",
                  100 * all->hot, weight_text(all), verdict(rows, all, many_paths, most_misses),
                  range.n_low, range.n_high, range.share_low, range.share_high);
    lab_claim(rows,
              "hot functions have about ten times as many paths as cold ones: %s: %.1f times, mean "
              "of %zu",
              more >= 5 ? "holds" : "does not hold", more, all->n);
}

/* ---- paths */

struct crossed {
    uint32_t module, reserved;
    uint64_t block;
};

/* On how many paths a block of a hot path is, on average. */
static double crossings_of(const struct hot_paths *paths, double hot)
{
    struct map keys;
    struct {
        VEC(struct block_paths {
            uint32_t n;
            bool hot;
        });
    } blocks = {0};
    double n = 0, sum = 0;
    map_init(&keys, sizeof(struct crossed));
    for (size_t i = 0; i < paths->n; i++) {
        const struct hot_path *path = &paths->at[i];
        bool is_hot = weight_of(paths, path) >= hot * weight_all(paths);
        for (uint32_t b = 0; b < path->n_blocks; b++) {
            struct crossed key = {path->module, 0, path->blocks[b].v};
            uint32_t index = map_add(&keys, &key);
            if (index == blocks.n)
                *vec_push(&blocks) = (struct block_paths){0};
            blocks.at[index].n++;
            blocks.at[index].hot |= is_hot;
        }
    }
    for (size_t i = 0; i < blocks.n; i++)
        if (blocks.at[i].hot) {
            n++;
            sum += blocks.at[i].n;
        }
    map_release(&keys);
    vec_release(&blocks);
    return n > 0 ? sum / n : 0;
}

static void paths_show(struct lab_row *row, const struct hot_paths *paths, struct summary *summary,
                       double hot)
{
    double all = weight_all(paths), executed = 0;
    for (size_t i = 0; i < paths->n; i++) {
        double instructions = instructions_of(&paths->at[i]),
               weight = weight_of(paths, &paths->at[i]);
        sum_take(&summary->sums[class_of(paths, hot, instructions, weight)], 1, instructions,
                 weight);
        executed += hot_path_count(paths, &paths->at[i]).value * paths->at[i].instructions;
    }
    summary->crossings = crossings_of(paths, hot);
    lab_cell(row, "%zu", paths->n);
    lab_cell(row, "%.1e", executed);
    if (paths->metric != METRIC_INSTRUCTIONS)
        lab_cell(row, "%.1e", all);
    else
        lab_text(row, "");
    for (int class = 0; class < CLASSES; class ++) {
        lab_cell(row, "%.0f", summary->sums[class].n);
        lab_share(row, summary->sums[class].instructions, paths->instructions);
        lab_share(row, summary->sums[class].weight, all);
    }
    lab_cell(row, "%.1f", summary->crossings);
}

/* ---- functions */

static int by_function(const void *a, const void *b)
{
    const struct hot_path *x = a, *y = b;
    if (x->module != y->module)
        return x->module < y->module ? -1 : 1;
    return x->function < y->function ? -1 : x->function > y->function;
}

static void functions_show(struct lab_row *row, struct hot_paths *paths, struct summary *summary,
                           double hot)
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
        sum_take(&summary->sums[class_of(paths, hot, instructions, weight)], (double)(i - first),
                 instructions, weight);
    }
    for (int class = 0; class < CLASSES; class ++) {
        lab_cell(row, "%.0f", summary->sums[class].n);
        lab_cell(row, "%.1f", paths_each(&summary->sums[class]));
        lab_share(row, summary->sums[class].weight, weight_all(paths));
    }
}

/* ---- both */

static bool hot_fill(struct lab_rows *rows, const struct lab_recording *all, size_t n,
                     struct err *err)
{
    bool functions = rows->table == &lab_hot_functions;
    struct summaries summaries = {.hot = rows->request.hot > 0 ? rows->request.hot / 100 : 0.01};
    for (size_t i = 0; i < n; i++)
        if (!hot_paths_there(all[i].profile, all[i].file, err))
            return false;
    for (size_t i = 0; i < n; i++) {
        struct lab_row *row = lab_row_add(rows);
        struct hot_paths paths;
        paths_make(&paths, &all[i]);
        struct summary *summary = vec_push(&summaries);
        *summary = (struct summary){.name = lab_file_name(all[i].file), .all = weight_all(&paths)};
        lab_text(row, summary->name);
        if (!i)
            summaries.metric = paths.metric, summaries.event = paths.clock.event;
        if (functions)
            functions_show(row, &paths, summary, summaries.hot);
        else
            paths_show(row, &paths, summary, summaries.hot);
        hot_paths_release(&paths);
    }
    (functions ? functions_claim : paths_claim)(rows, &summaries);
    vec_release(&summaries);
    return true;
}

static const char *const paths_columns[] = {
    "recording",  "paths",        "inst",        "misses",      "dense",
    "dense inst", "dense misses", "sparse",      "sparse inst", "sparse misses",
    "cold",       "cold inst",    "cold misses", "paths/block", NULL};
const struct lab_table lab_hot_paths = {
    .name = "paths-4",
    .title = "hot paths: at least 1 % of the misses in the first cache of a model, of ticks, or of "
             "instructions: what there is",
    .columns = paths_columns,
    .hot = true,
    .recordings = hot_fill};

static const char *const functions_columns[] = {
    "recording",     "dense", "dense paths/proc", "dense misses", "sparse", "sparse paths/proc",
    "sparse misses", "cold",  "cold paths/proc",  "cold misses",  NULL};
const struct lab_table lab_hot_functions = {
    .name = "paths-5",
    .title = "hot procedures: at least 1 % of the misses in the first cache of a model, of ticks, "
             "or of instructions: what there is",
    .columns = functions_columns,
    .hot = true,
    .recordings = hot_fill};
