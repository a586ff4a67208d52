#include "analysis/pipeline/pipeline.h"

#include "base/err.h"
#include "records/named.h"
#include "program/elf/symtab.h"
#include "records/sample.h"
#include "analysis/counts/labels.h"

#include <stdio.h>
#include <string.h>

/* More rows than anybody looks at, but never more: a program may touch any number of lines. */
enum { ROWS_KEPT = 20000 };

static const char *const by_names[] = {
    [PIPELINE_PLACE] = "place",   [PIPELINE_PAGE] = "page", [PIPELINE_LINE] = "line",
    [PIPELINE_OBJECT] = "object", [PIPELINE_EDGE] = "edge", [PIPELINE_UNIT] = "unit",
    [PIPELINE_ALL] = "all"};

struct pipeline_object {
    bool read;
    struct symtab symtab;
};

bool pipeline_by_parse(const char *name, enum pipeline_by *ret_by)
{
    for (size_t i = 0; i < sizeof by_names / sizeof *by_names; i++)
        if (strcmp(name, by_names[i]) == 0) {
            *ret_by = (enum pipeline_by)i;
            return true;
        }
    return false;
}

/* ---- data objects */

/* The module is the profile's. NULL: no variable is known there. */
static const struct symbol *object_find(struct pipeline *pipeline, uint32_t module, uint64_t at)
{
    while (pipeline->objects.n <= module)
        *vec_push(&pipeline->objects) = (struct pipeline_object){0};
    struct pipeline_object *object = &pipeline->objects.at[module];
    const struct image *image = scene_image(pipeline->scene, 0, module);
    if (!object->read && image)
        symtab_read_data(&object->symtab, image);
    object->read = true;
    return symtab_find(&object->symtab, (struct svma){at});
}

const char *pipeline_object_name(struct pipeline *pipeline, uint32_t module, uint64_t at)
{
    const struct symbol *symbol = object_find(pipeline, module, at);
    return symbol ? symbol->name : NULL;
}

/* A whole variable is one row; what is none, or is in memory that has no names, is one row for its
 * module or region. */
static void object_settle(struct pipeline *pipeline, struct sample *sample)
{
    if (!sample_knows(sample, SAMPLE_DATA_MODULE) || !sample_knows(sample, SAMPLE_DATA_LINKED))
        return;
    const struct symbol *symbol = object_find(pipeline, (uint32_t)sample->at[SAMPLE_DATA_MODULE],
                                              sample->at[SAMPLE_DATA_LINKED]);
    sample->at[SAMPLE_DATA_LINKED] = symbol ? symbol->start.v : 0;
}

/* ---- adding up */

static bool sample_shown(const struct pipeline *pipeline, const struct sample *sample)
{
    const struct scene *scene = pipeline->scene;
    bool all = !scene->only_module && !scene->only_function;
    if (all || !sample_knows(sample, SAMPLE_MODULE) || !sample_knows(sample, SAMPLE_PC))
        return all;
    uint32_t module = scene_module(scene, 0, (uint32_t)sample->at[SAMPLE_MODULE]);
    return scene_place_wanted(pipeline->scene, module, sample->at[SAMPLE_PC]);
}

/* One pair of `window` has the second right behind its first, and only one of its two sides is an
 * edge: so that what is counted along edges is what happened there. */
static struct sample edge_weighed(const struct pipeline *pipeline, const struct sample *sample)
{
    struct sample weighed = *sample;
    uint64_t weight = sample_knows(sample, SAMPLE_WEIGHT) ? sample->at[SAMPLE_WEIGHT] : 1;
    sample_set(&weighed, SAMPLE_WEIGHT, (uint64_t)(2 * pipeline->window * (double)weight));
    return weighed;
}

static void pair_take(struct pipeline *pipeline, const struct sample *first,
                      const struct sample *second)
{
    struct sample weighed = pipeline->by == PIPELINE_EDGE ? edge_weighed(pipeline, first) : *first;
    ledger_add_pair(&pipeline->alone, &weighed, second);
    ledger_add_pair(&pipeline->pairs, first, second);
    ledger_add_pair(&pipeline->asked, first, second);
}

static void sample_take(struct pipeline *pipeline, struct sample sample, const struct sample *next)
{
    pipeline->records += next ? 2 : 1;
    pipeline->of_pairs += next != NULL;
    pipeline->origins[sample.at[SAMPLE_ORIGIN]] += next ? 2 : 1;
    if (pipeline->by == PIPELINE_OBJECT)
        object_settle(pipeline, &sample);
    if (next) {
        pair_take(pipeline, &sample, next);
        return;
    }
    ledger_add(&pipeline->alone, &sample);
    ledger_add(&pipeline->pairs, &sample);
    ledger_add(&pipeline->asked, &sample);
}

static void samples_take(struct pipeline *pipeline, const struct sample_list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        bool pair = sample_list_pair_at(list, i);
        struct sample second;
        if (pair)
            second = list->at[i + 1];
        if (pair && pipeline->by == PIPELINE_OBJECT)
            object_settle(pipeline, &second);
        if (sample_shown(pipeline, &list->at[i]) || (pair && sample_shown(pipeline, &second)))
            sample_take(pipeline, list->at[i], pair ? &second : NULL);
        i += pair;
    }
}

/* What must hold of a record, in one expression; false: what was asked for is none. */
static bool only_set(struct pipeline *pipeline, const struct parameter *parameters, struct err *err)
{
    struct ledger *ledgers[] = {&pipeline->alone, &pipeline->pairs, &pipeline->asked};
    bool edge = pipeline->by == PIPELINE_EDGE;
    struct expression asked = {0};
    char text[1024];
    if (pipeline->where && !expression_parse(&asked, pipeline->where, parameters, err))
        return err_in(err, "--where");
    pipeline->of_others = edge || pipeline->by == PIPELINE_UNIT || asked.pairs;
    expression_release(&asked);
    int n = snprintf(text, sizeof text, "(%s) && (%s)", pipeline->where ? pipeline->where : "1",
                     edge ? METRIC_NEXT : "1");
    if (n < 0 || (size_t)n >= sizeof text)
        return err_set(err, ERR_USAGE, "--where: too long");
    for (size_t i = 0; i < sizeof ledgers / sizeof *ledgers; i++)
        if (!ledger_only(ledgers[i], text, parameters, err))
            return false;
    return true;
}

bool pipeline_make(struct pipeline *pipeline, struct scene *scene,
                   const struct sample_list *records, const struct pipeline_asked *asked,
                   struct err *err)
{
    const struct parameter parameters[] = {
        {"width", asked->width}, {"window", asked->window}, {"cycles", asked->cycles}, {NULL, 0}};
    const char *const *by = metric_keys(by_names[asked->by]);
    *pipeline = (struct pipeline){
        .scene = scene, .by = asked->by, .where = asked->where, .window = asked->window};
    if (asked->value)
        pipeline->own[0] = (struct metric){"--metric", asked->value, asked->value, NULL, true};
    if (!ledger_open(&pipeline->asked, by, pipeline->own, parameters, ROWS_KEPT, err))
        return false;
    struct err never;
    bool ok = ledger_open(&pipeline->alone, by, metrics_alone, parameters, ROWS_KEPT, &never) &&
              ledger_open(&pipeline->pairs, by, metrics_pairs, parameters, ROWS_KEPT, &never);
    ASSERT(ok);
    if (!only_set(pipeline, parameters, err)) {
        pipeline_release(pipeline);
        return false;
    }
    samples_take(pipeline, records);
    pipeline->ranking = ledger_ranking(&pipeline->alone);
    return true;
}

void pipeline_release(struct pipeline *pipeline)
{
    for (size_t i = 0; i < pipeline->objects.n; i++)
        symtab_release(&pipeline->objects.at[i].symtab);
    vec_release(&pipeline->objects);
    mem_free(pipeline->ranking);
    ledger_release(&pipeline->alone);
    ledger_release(&pipeline->pairs);
    ledger_release(&pipeline->asked);
}

const struct ledger_row *pipeline_row(const struct pipeline *pipeline, const struct ledger *ledger,
                                      uint32_t row)
{
    uint32_t found = map_find(&ledger->keys, ledger_key(&pipeline->alone, row));
    return found == MAP_NONE ? NULL : &ledger->at[found];
}

const char *pipeline_place_text(struct pipeline *pipeline, uint64_t module, uint64_t at)
{
    return address_text(pipeline->scene, scene_module(pipeline->scene, 0, (uint32_t)module), at);
}
