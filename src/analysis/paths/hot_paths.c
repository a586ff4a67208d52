#include "analysis/paths/hot_paths.h"

#include "base/err.h"
#include "keep/module_open.h"
#include "paths/decode.h"
#include "paths/module.h"
#include "program/elf/image.h"
#include "program/symbols/symbols.h"
#include "analysis/counts/flow.h"
#include "analysis/paths/path_fit.h"
#include "analysis/paths/path_rows.h"

#include <stdlib.h>
#include <string.h>

struct reader {
    struct hot_paths *paths;
    const struct profile *profile;
    bool fitted; /* weights are made to fit counts of blocks and edges */
    struct path_rows rows;
    struct path_arrivals arrivals; /* of the module under way */
    struct path_arcs arcs;         /* scratch */
    struct {
        VEC(struct svma);
    } blocks, lasts;     /* of the path under way */
    struct path_fit fit; /* of the function under way */
};

/* ---- one path */

/* One of its paths, the last that was decoded, goes on where the one before it ended. */
static void path_extend(struct reader *reader, const struct path_reading *reading,
                        struct hot_path *path, bool is_first)
{
    const struct path_arcs *arcs = &reader->arcs;
    const struct arc *all = reading->numbering.arcs.at;
    for (size_t i = 0; i + 1 < arcs->n; i++) {
        uint32_t node = all[arcs->at[i]].to;
        *vec_push(&reader->blocks) = ground_first(&reading->ground, &reading->cfg, node)->at;
        *vec_push(&reader->lasts) = ground_last(&reading->ground, &reading->cfg, node)->at;
        path->instructions += ground_ran(&reading->ground, &reading->cfg, node);
    }
    const struct arc *first = &all[arcs->at[0]], *last = &all[arcs->at[arcs->n - 1]];
    if (is_first && first->to == reading->ground.graph.entry)
        path->kind |= HOT_PATH_ENTRY;
    else if (!reading->ground.graph.nodes.at[first->to].start)
        path->kind |= HOT_PATH_LOOP;
    path->kind &= ~(uint32_t)HOT_PATH_EXIT;
    path->kind |= last->kind == ARC_END ? HOT_PATH_EXIT : HOT_PATH_LOOP;
}

static void path_read(struct reader *reader, const struct path_reading *reading,
                      const struct path_row *row)
{
    struct hot_paths *paths = reader->paths;
    uint32_t module = scene_module(paths->scene, paths->side, row->module);
    function_id named = scene_function_at(paths->scene, module, row->function);
    struct hot_path path = {.module = module,
                            .function = row->function,
                            .linkage = scene_function_name(paths->scene, module, named),
                            .quantity = row->quantity,
                            .context = row->context,
                            .ticks = row->ticks,
                            .measured = row->measured};
    memcpy(path.modelled, row->modelled, sizeof path.modelled);
    reader->blocks.n = reader->lasts.n = 0;
    for (uint32_t i = 0; i < paths->iterations; i++) {
        if (!path_decode(&reading->numbering, row->paths[i], &reader->arcs)) {
            paths->unknown++;
            return;
        }
        path_extend(reader, reading, &path, i == 0);
    }
    size_t bytes = reader->blocks.n * sizeof(struct svma);
    struct svma *blocks = arena_alloc(&paths->arena, bytes);
    struct svma *lasts = arena_alloc(&paths->arena, bytes);
    if (bytes) {
        memcpy(blocks, reader->blocks.at, bytes);
        memcpy(lasts, reader->lasts.at, bytes);
    }
    path.ids = row->paths;
    path.blocks = blocks;
    path.lasts = lasts;
    path.n_blocks = (uint32_t)reader->blocks.n;
    *vec_push(paths) = path;
}

/* ---- a function's paths made to fit its counts */

/* Nodes, then edges of the graph, as the last path that was decoded uses them. */
static void fit_add(struct reader *reader, const struct path_reading *reading, double weight)
{
    struct path_fit *fit = &reader->fit;
    uint32_t nodes = reading->numbering.n;
    for (size_t i = 0; i < reader->arcs.n; i++) {
        const struct arc *arc = &reading->numbering.arcs.at[reader->arcs.at[i]];
        if (arc->to != reading->numbering.exit)
            *vec_push(&fit->uses) = arc->to;
        if (arc->kind == ARC_STEP || arc->kind == ARC_BREAK)
            *vec_push(&fit->uses) = nodes + arc->of;
    }
    *vec_push(&fit->paths) = (struct fit_path){fit->uses.n, weight};
}

static void wanted_find(struct path_fit *fit, const struct path_reading *reading,
                        const struct flow *flow)
{
    for (size_t i = 0; i < reading->ground.nodes.n; i++)
        *vec_push(&fit->wanted) =
            (double)flow->instructions[reading->ground.nodes.at[i].first].count;
    for (size_t i = 0; i < reading->ground.edges.n; i++) {
        uint32_t edge = reading->ground.edges.at[i].edge;
        *vec_push(&fit->wanted) = edge == EDGE_NONE ? 0 : (double)flow->edges[edge].count;
    }
}

static struct quantity quantity_scaled(struct quantity quantity, double by)
{
    return (struct quantity){.count = (uint64_t)((double)quantity.count * by + 0.5),
                             .time = quantity.time,
                             .count_sd = quantity.count_sd * by,
                             .alone_sd = quantity.alone_sd * by};
}

/* Those from `first` on, which are single paths of one function. */
static void paths_fit(struct reader *reader, const struct path_reading *reading, size_t first)
{
    struct hot_paths *paths = reader->paths;
    const struct scene_function *function =
        scene_function_find(paths->scene, paths->at[first].module, paths->at[first].function);
    struct flow flow;
    if (!function)
        return;
    path_fit_clear(&reader->fit);
    for (size_t i = first; i < paths->n; i++) {
        path_decode(&reading->numbering, paths->at[i].ids[0], &reader->arcs);
        fit_add(reader, reading, (double)paths->at[i].quantity.count);
    }
    flow_build(&flow, paths->scene, function, paths->side, &reading->cfg);
    wanted_find(&reader->fit, reading, &flow);
    flow_release(&flow);
    path_fit_solve(&reader->fit);
    for (size_t i = first; i < paths->n; i++) {
        struct quantity *quantity = &paths->at[i].quantity;
        if (quantity->count)
            *quantity = quantity_scaled(*quantity, reader->fit.paths.at[i - first].weight /
                                                       (double)quantity->count);
    }
}

/* ---- functions and modules */

static bool numbered_alike(const struct reader *reader, const struct path_row *row, uint64_t total)
{
    struct path_key key = {
        .module = row->module, .kind = PATH_FUNCTION, .function = {row->function}, .path = total};
    return table_find(&reader->profile->paths, &key) != NULL;
}

static void function_read(struct reader *reader, const struct image *image,
                          const struct symbols *symbols, const struct path_row *rows, size_t n)
{
    struct path_reading reading;
    function_id f = symbols_find(symbols, (struct svma){rows[0].function});
    if (f == FUNCTION_NONE || symbols->functions.at[f].start.v != rows[0].function ||
        !path_reading_open(&reading, image, symbols, &reader->arrivals, f)) {
        reader->paths->unread++;
        return;
    }
    size_t before = reader->paths->n;
    if (numbered_alike(reader, &rows[0], reading.numbering.total))
        for (size_t i = 0; i < n; i++)
            path_read(reader, &reading, &rows[i]);
    else
        reader->paths->unread++;
    if (reader->paths->n > before && reader->fitted)
        paths_fit(reader, &reading, before);
    reader->paths->functions += reader->paths->n > before;
    if (reader->paths->n > before && reading.numbering.cuts.n)
        *vec_push(&reader->paths->cut) = reader->paths->at[before].linkage;
    if (reader->paths->n > before && reading.ground.threaded)
        *vec_push(&reader->paths->threaded) = reader->paths->at[before].linkage;
    path_reading_close(&reading);
}

static size_t run_of(const struct reader *reader, size_t first, bool function)
{
    size_t n = 1;
    const struct path_row *rows = &reader->rows.at[first];
    while (first + n < reader->rows.n && rows[n].module == rows[0].module &&
           (!function || rows[n].function == rows[0].function))
        n++;
    return n;
}

/* The module's own symbols, as they were when it was recorded: those of a debug file cut functions
 * elsewhere. */
static void module_read(struct reader *reader, size_t first, size_t n)
{
    struct hot_paths *paths = reader->paths;
    uint32_t recorded = reader->rows.at[first].module;
    uint32_t module = scene_module(paths->scene, paths->side, recorded);
    const struct scene_module *known = &paths->scene->modules.at[module];
    struct image image;
    struct symbols symbols;
    bool there =
        known->binary && module_image_open(&image, paths->scene->sides[paths->side], recorded);
    if (there) {
        symbols_build(&symbols, &image);
        path_arrivals_find(&reader->arrivals, &image, &symbols);
    }
    for (size_t at = first; at < first + n;) {
        size_t rows = run_of(reader, at, true);
        if (there)
            function_read(reader, &image, &symbols, &reader->rows.at[at], rows);
        else
            paths->unread += known->shown;
        at += rows;
    }
    if (there) {
        vec_release(&reader->arrivals);
        symbols_release(&symbols);
        image_close(&image);
    }
}

/* ---- all */

const char *path_metric_name(enum path_metric metric)
{
    return metric == METRIC_INSTRUCTIONS ? "instructions"
           : metric == METRIC_TICKS      ? "ticks"
                                         : model_cost_names[metric - METRIC_L1D].word;
}

double hot_path_metric(const struct hot_path *path, enum path_metric metric)
{
    if (metric == METRIC_TICKS)
        return hot_path_ticks(path);
    return metric == METRIC_INSTRUCTIONS ? (double)path->quantity.count * path->instructions
                                         : (double)path->modelled[metric - METRIC_L1D];
}

double hot_paths_metric(const struct hot_paths *paths, enum path_metric metric)
{
    if (metric == METRIC_TICKS)
        return paths->ticks;
    return metric == METRIC_INSTRUCTIONS ? paths->instructions
                                         : paths->modelled[metric - METRIC_L1D];
}

static double weight_of(const struct hot_paths *paths, const struct hot_path *path)
{
    return hot_path_metric(path, paths->metric);
}

static int heavier_first(const void *a, const void *b, void *data)
{
    const struct hot_path *x = a, *y = b;
    double x_weight = weight_of(data, x), y_weight = weight_of(data, y);
    if (x_weight != y_weight)
        return x_weight > y_weight ? -1 : 1;
    if (x->module != y->module)
        return x->module < y->module ? -1 : 1;
    if (x->function != y->function)
        return x->function < y->function ? -1 : 1;
    for (uint32_t i = 0; i < ((const struct hot_paths *)data)->iterations; i++)
        if (x->ids[i] != y->ids[i])
            return x->ids[i] < y->ids[i] ? -1 : 1;
    return x->context < y->context ? -1 : x->context > y->context;
}

bool hot_paths_weigh(struct hot_paths *paths, enum path_metric metric)
{
    if ((metric == METRIC_TICKS && !paths->has_ticks) ||
        (metric >= METRIC_L1D && !paths->has_modelled))
        return false;
    paths->metric = metric;
    if (paths->n)
        qsort_r(paths->at, paths->n, sizeof *paths->at, heavier_first, paths);
    return true;
}

/* Shares are of all paths, shown or not. */
static void wanted_keep(struct hot_paths *paths)
{
    size_t kept = 0;
    for (size_t i = 0; i < paths->n; i++)
        if (scene_place_wanted(paths->scene, paths->at[i].module, paths->at[i].function))
            paths->at[kept++] = paths->at[i];
    paths->n = kept;
}

static void make(struct hot_paths *paths, struct scene *scene, uint32_t side)
{
    struct reader reader = {.paths = paths, .profile = scene->sides[side]};
    reader.fitted =
        paths->iterations == 1 && scene->inferred[side] && reader.profile->mode == PROFILE_SAMPLED;
    if (paths->in_contexts)
        path_rows_find_in_contexts(&reader.rows, &paths->arena, reader.profile, &paths->contexts);
    else
        path_rows_find(&reader.rows, &paths->arena, reader.profile, paths->iterations);
    paths->clock = reader.rows.clock;
    paths->has_modelled = reader.rows.has_modelled;
    memcpy(paths->elsewhere, reader.rows.elsewhere, sizeof paths->elsewhere);
    for (size_t at = 0; at < reader.rows.n;) {
        size_t n = run_of(&reader, at, false);
        module_read(&reader, at, n);
        at += n;
    }
    for (size_t i = 0; i < paths->n; i++) {
        paths->has_ticks |= paths->at[i].measured != 0;
        paths->ticks += hot_path_ticks(&paths->at[i]);
        paths->instructions += (double)paths->at[i].quantity.count * paths->at[i].instructions;
        for (uint32_t m = 0; m < MODEL_COSTS; m++)
            paths->modelled[m] += (double)paths->at[i].modelled[m];
    }
    wanted_keep(paths);
    hot_paths_weigh(paths, paths->has_ticks ? METRIC_TICKS : METRIC_INSTRUCTIONS);
    vec_release(&reader.rows);
    vec_release(&reader.blocks);
    vec_release(&reader.lasts);
    path_fit_release(&reader.fit);
    vec_release(&reader.arcs);
}

bool hot_paths_there(const struct profile *profile, const char *file, struct err *err)
{
    if (profile->paths.n)
        return true;
    return err_set(
        err, ERR_FORMAT,
        "%s: no paths in it: %s; gait record --exact=paths -- COMMAND counts them all", file,
        profile->mode != PROFILE_SAMPLED         ? "they were not counted"
        : profile_fact_find(profile, "compress") ? "compressed recordings have none"
                                                 : "samples of less than a second have none");
}

void hot_paths_make(struct hot_paths *paths, struct scene *scene, uint32_t side,
                    uint32_t iterations)
{
    *paths = (struct hot_paths){.scene = scene, .side = side, .iterations = iterations};
    make(paths, scene, side);
}

void hot_paths_make_in_contexts(struct hot_paths *paths, struct scene *scene, uint32_t side)
{
    *paths = (struct hot_paths){.scene = scene, .side = side, .iterations = 1, .in_contexts = true};
    stacks_init(&paths->contexts);
    make(paths, scene, side);
}

uint32_t hot_path_caller(const struct hot_paths *paths, uint32_t node)
{
    uint32_t caller = stacks_key(&paths->contexts, node).parent;
    bool root = caller == STACK_NONE || stacks_key(&paths->contexts, caller).parent == STACK_NONE;
    return root ? STACK_NONE : caller;
}

void hot_paths_release(struct hot_paths *paths)
{
    if (paths->in_contexts)
        stacks_release(&paths->contexts);
    vec_release(paths);
    vec_release(&paths->cut);
    vec_release(&paths->threaded);
    arena_release(&paths->arena);
}

struct estimate hot_path_count(const struct hot_paths *paths, const struct hot_path *path)
{
    return estimate_count(paths->scene->sides[paths->side], &path->quantity);
}

double hot_path_share(const struct hot_paths *paths, const struct hot_path *path)
{
    double all = hot_paths_metric(paths, paths->metric);
    return all > 0 ? weight_of(paths, path) / all : 0;
}

int hot_path_density(const struct hot_paths *paths, const struct hot_path *path)
{
    double instructions = hot_path_metric(path, METRIC_INSTRUCTIONS);
    bool known = paths->metric != METRIC_TICKS || path->measured;
    if (paths->metric == METRIC_INSTRUCTIONS || !known || instructions <= 0)
        return 0;
    double all = hot_paths_metric(paths, paths->metric) / paths->instructions;
    return weight_of(paths, path) / instructions > all ? 1 : -1;
}
