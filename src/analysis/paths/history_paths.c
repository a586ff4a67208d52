#include "analysis/paths/history_paths.h"

#include "base/err.h"
#include "base/map.h"
#include "paths/trail_build.h"
#include "profile/profile.h"
#include "records/sample.h"

#include <stdlib.h>
#include <string.h>

/* A question: records that ask the same get one answer. `pair` ran so many instructions before, if
 * `distance` is not 0. */
struct asked_key {
    uint64_t piece, at, history, pair, distance;
};

/* The path of one question, with its records. */
struct answer {
    uint64_t records;
    double weight;
    struct trail_way way; /* pieces, the last one first */
    bool alone;
};

struct asking {
    struct history_paths *paths;
    const struct profile *profile;
    uint32_t module; /* of the profile */
    const struct image *image;
    struct symbols symbols;
    struct trail_graph graph;
    struct map keys;
    VEC(struct answer);
};

static bool sample_asks(const struct sample *sample, uint32_t bits)
{
    return sample_knows(sample, SAMPLE_HISTORY) && sample_knows(sample, SAMPLE_PC) &&
           sample_knows(sample, SAMPLE_MODULE) && sample->at[SAMPLE_HISTORY_BITS] >= bits &&
           sample->at[SAMPLE_EVENTS] >> EVENT_RETIRED & 1;
}

static double weight_of(const struct sample *sample)
{
    return sample_knows(sample, SAMPLE_WEIGHT) ? (double)sample->at[SAMPLE_WEIGHT] : 1;
}

/* How many it was before equal ones became one row. */
static uint64_t records_of(const struct sample *sample)
{
    return sample_knows(sample, SAMPLE_ORIGIN) ? 1 : sample->at[SAMPLE_WEIGHT];
}

/* Directions of imported branch records: nobody measured anything else of these branches. */
static void turns_list(struct sample_list *list, const struct profile *profile)
{
    for (uint32_t i = 0; i < profile->turns.n; i++) {
        const struct turns_key *key = map_key(&profile->turns.keys, i);
        struct sample sample = {0};
        sample_set(&sample, SAMPLE_MODULE, key->module);
        sample_set(&sample, SAMPLE_PC, key->at.v);
        sample_set(&sample, SAMPLE_HISTORY, key->directions);
        sample_set(&sample, SAMPLE_HISTORY_BITS, key->n);
        sample_set(&sample, SAMPLE_WEIGHT, profile->turns.at[i].count);
        sample_event(&sample, EVENT_RETIRED, true);
        *vec_push(list) = sample;
    }
}

bool history_paths_there(const struct profile *profile, const char *file, struct err *err)
{
    for (size_t i = 0; i < profile->samples.n; i++)
        if (sample_asks(&profile->samples.at[i], 1))
            return true;
    if (profile->turns.n)
        return true;
    return err_set(err, ERR_FORMAT,
                   "%s: no record has the directions of branches; record with --exact=trace --core "
                   "NAME --pairs N, or import branch records",
                   file);
}

/* ---- one module */

/* What was recorded of its control flow; what comes from another module comes from nowhere. */
static void graph_make(struct asking *asking)
{
    const struct table *edges = &asking->profile->edges;
    struct {
        VEC(struct trail_seen);
    } seen = {0};
    for (uint32_t i = 0; i < edges->n; i++) {
        const struct edge_key *key = map_key(&edges->keys, i);
        struct svma from = key->from_module == asking->module ? key->from : (struct svma){0};
        if (key->to_module == asking->module && key->kind != EDGE_RETURN)
            *vec_push(&seen) = (struct trail_seen){from, key->to, edges->at[i].count};
    }
    trail_build(&asking->graph, asking->image, &asking->symbols, seen.at, seen.n);
    vec_release(&seen);
}

/* The likeliest. Callers are looked at, too: the directions before the function was entered are
 * theirs. */
static void answer_choose(const struct asking *asking, struct trail_asked *asked,
                          struct trail_way *ret_way)
{
    asked->across = true;
    bool found = trail_best(&asking->graph, asked, TRAIL_BY_ARCS, ret_way);
    asked->across = false;
    if (found) {
        trail_way_inside(&asking->graph, ret_way);
        return;
    }
    trail_way_release(ret_way);
    if (!trail_best(&asking->graph, asked, TRAIL_BY_ARCS, ret_way))
        trail_way_release(ret_way);
}

static void answer_find(const struct asking *asking, const struct asked_key *key,
                        struct answer *answer)
{
    struct trail_asked asked = {.piece = (uint32_t)key->piece,
                                .at = {key->at},
                                .history = key->history,
                                .bits = asking->paths->bits,
                                .has_pair = key->distance != 0,
                                .pair = {key->pair},
                                .distance = (uint32_t)key->distance};
    struct trail_answer fitting;
    trail_find(&asking->graph, &asked, NULL, NULL, &fitting);
    answer->alone = fitting.n == 1 && !fitting.gave_up;
    if (fitting.n == 1)
        answer->way = fitting.first;
    else {
        trail_way_release(&fitting.first);
        if (fitting.n || fitting.gave_up)
            answer_choose(asking, &asked, &answer->way);
    }
}

static struct answer *answer_get(struct asking *asking, const struct asked_key *key)
{
    uint32_t index = map_add(&asking->keys, key);
    if (index == asking->n) {
        *vec_push(asking) = (struct answer){0};
        answer_find(asking, key, &asking->at[index]);
    }
    return &asking->at[index];
}

/* Where several paths fit, the first instruction of a pair must be on that of the second. */
static bool pair_known(const struct asking *asking, size_t second, struct asked_key *key)
{
    const struct sample_list *samples = &asking->paths->told;
    if (!second || !sample_list_pair_at(samples, second - 1))
        return false;
    const struct sample *first = &samples->at[second - 1], *sample = &samples->at[second];
    if (!sample_knows(sample, SAMPLE_STEPS) || !sample->at[SAMPLE_STEPS] ||
        first->at[SAMPLE_MODULE] != asking->module)
        return false;
    key->pair = first->at[SAMPLE_PC];
    key->distance = sample->at[SAMPLE_STEPS];
    return true;
}

static void record_ask(struct asking *asking, size_t i)
{
    const struct sample *sample = &asking->paths->told.at[i];
    uint32_t bits = asking->paths->bits;
    struct asked_key key = {
        .piece = trail_piece_find(&asking->graph, (struct svma){sample->at[SAMPLE_PC]}),
        .at = sample->at[SAMPLE_PC],
        .history =
            sample->at[SAMPLE_HISTORY] & (bits < 64 ? ((uint64_t)1 << bits) - 1 : UINT64_MAX)};
    if (key.piece == UINT32_MAX) {
        asking->paths->untold += records_of(sample);
        return;
    }
    struct answer *answer = answer_get(asking, &key);
    if (!answer->alone && pair_known(asking, i, &key)) {
        struct answer *paired = answer_get(asking, &key);
        answer =
            paired->way.n
                ? paired
                : answer_get(asking, &(struct asked_key){key.piece, key.at, key.history, 0, 0});
    }
    answer->records += records_of(sample);
    answer->weight += weight_of(sample);
    if (!answer->way.n)
        asking->paths->untold += records_of(sample);
}

static void path_add(struct asking *asking, const struct answer *answer)
{
    struct history_paths *paths = asking->paths;
    size_t n = answer->way.n;
    if (!n || !answer->records) /* it was asked for, and a pair said more */
        return;
    struct svma *blocks = arena_alloc(&paths->arena, n * sizeof *blocks);
    for (size_t i = 0; i < n; i++)
        blocks[i] = asking->graph.pieces.at[answer->way.at[n - 1 - i]].start;
    uint32_t module = scene_module(paths->scene, 0, asking->module);
    function_id f = symbols_find(&asking->symbols, blocks[n - 1]);
    if (f == FUNCTION_NONE || !scene_place_wanted(paths->scene, module, blocks[n - 1].v))
        return;
    *vec_push(paths) = (struct history_path){
        .module = module,
        .function = asking->symbols.functions.at[f].start.v,
        .linkage = scene_function_name(paths->scene, module,
                                       scene_function_at(paths->scene, module, blocks[n - 1].v)),
        .blocks = blocks,
        .n_blocks = (uint32_t)n,
        .records = answer->records,
        .alone = answer->alone ? answer->records : 0,
        .weight = answer->weight};
}

static void module_ask(struct history_paths *paths, uint32_t module)
{
    const struct profile *profile = paths->scene->sides[0];
    struct asking asking = {.paths = paths,
                            .profile = profile,
                            .module = module,
                            .image = scene_image(paths->scene, 0, module)};
    const struct sample_list *told = &paths->told;
    for (size_t i = 0; i < told->n && !asking.image; i++)
        if (told->at[i].at[SAMPLE_MODULE] == module && sample_asks(&told->at[i], paths->bits))
            paths->untold += records_of(&told->at[i]);
    if (!asking.image)
        return;
    map_init(&asking.keys, sizeof(struct asked_key));
    symbols_build(&asking.symbols, asking.image);
    graph_make(&asking);
    for (size_t i = 0; i < told->n; i++)
        if (told->at[i].at[SAMPLE_MODULE] == module && sample_asks(&told->at[i], paths->bits))
            record_ask(&asking, i);
    for (size_t i = 0; i < asking.n; i++) {
        path_add(&asking, &asking.at[i]);
        trail_way_release(&asking.at[i].way);
    }
    vec_release(&asking);
    map_release(&asking.keys);
    trail_graph_release(&asking.graph);
    symbols_release(&asking.symbols);
}

/* ---- all */

static int by_blocks(const void *a, const void *b)
{
    const struct history_path *x = a, *y = b;
    if (x->module != y->module)
        return x->module < y->module ? -1 : 1;
    for (uint32_t i = 0; i < x->n_blocks && i < y->n_blocks; i++)
        if (x->blocks[i].v != y->blocks[i].v)
            return x->blocks[i].v < y->blocks[i].v ? -1 : 1;
    return x->n_blocks < y->n_blocks ? -1 : x->n_blocks > y->n_blocks;
}

static int by_weight(const void *a, const void *b)
{
    const struct history_path *x = a, *y = b;
    return x->weight > y->weight ? -1 : x->weight < y->weight ? 1 : by_blocks(a, b);
}

/* Records at several instructions of a piece end on one path. */
static void alike_join(struct history_paths *paths)
{
    size_t kept = 0;
    if (paths->n)
        qsort(paths->at, paths->n, sizeof *paths->at, by_blocks);
    for (size_t i = 0; i < paths->n; i++) {
        struct history_path *last = kept ? &paths->at[kept - 1] : NULL;
        if (!last || by_blocks(last, &paths->at[i]) != 0) {
            paths->at[kept++] = paths->at[i];
            continue;
        }
        last->records += paths->at[i].records;
        last->alone += paths->at[i].alone;
        last->weight += paths->at[i].weight;
    }
    paths->n = kept;
    if (paths->n)
        qsort(paths->at, paths->n, sizeof *paths->at, by_weight);
}

void history_paths_make(struct history_paths *paths, struct scene *scene, uint32_t bits)
{
    const struct profile *profile = scene->sides[0];
    *paths = (struct history_paths){.scene = scene, .bits = bits};
    for (size_t i = 0; i < profile->samples.n; i++)
        *vec_push(&paths->told) = profile->samples.at[i];
    turns_list(&paths->told, profile);
    bool *has = mem_alloc((profile->modules.n + 1) * sizeof *has);
    for (size_t i = 0; i < paths->told.n; i++) {
        const struct sample *sample = &paths->told.at[i];
        uint32_t module = scene_module(scene, 0, (uint32_t)sample->at[SAMPLE_MODULE]);
        if (!sample_asks(sample, bits) || module == MODULE_NONE || !scene->modules.at[module].shown)
            continue;
        paths->records += records_of(sample);
        paths->weight += weight_of(sample);
        has[sample->at[SAMPLE_MODULE]] = true;
    }
    for (uint32_t module = 0; module < profile->modules.n; module++)
        if (has[module])
            module_ask(paths, module);
    mem_free(has);
    alike_join(paths);
}

void history_paths_release(struct history_paths *paths)
{
    vec_release(paths);
    vec_release(&paths->told);
    arena_release(&paths->arena);
}
