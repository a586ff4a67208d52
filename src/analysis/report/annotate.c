#include "analysis/report/annotate.h"

#include "base/err.h"
#include "profile/sums.h"
#include "analysis/counts/code_owner.h"
#include "program/cfg/cfg_build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct estimate unknown = {NAN, NAN, NAN};

/* ---- what all need */

void annotator_begin(struct annotator *annotator, struct report *report,
                     const struct report_row *const *rows, size_t n_rows,
                     enum assembly_syntax syntax)
{
    *annotator = (struct annotator){.report = report, .syntax = syntax};
    if (!report->has_plain)
        return;
    struct plain_functions *functions = &report->plain.functions;
    for (size_t i = 0; i < functions->n; i++)
        functions->at[i].shown = false;
    for (size_t i = 0; i < n_rows; i++)
        functions->at[rows[i]->plain->function].shown = true;
    plain_list(&annotator->instructions, &report->plain, BY_INSTRUCTION);
}

void annotator_end(struct annotator *annotator)
{
    plain_rows_release(&annotator->instructions);
}

/* ---- figures */

static const struct profile *profile_of(const struct annotation *annotation)
{
    return annotation->report->scene->sides[0];
}

static void costs_clear(struct annotated *line)
{
    line->share = line->count = line->time = line->total = line->taken = line->cpi = unknown;
}

static void costs_plain(struct annotation *annotation, const struct annotator *annotator)
{
    const struct plain *plain = &annotation->report->plain;
    annotation->plain = mem_alloc((annotation->n + 1) * sizeof *annotation->plain);
    for (size_t i = 0; i < annotator->instructions.n; i++) {
        const struct plain_row *row = &annotator->instructions.at[i];
        uint32_t at = cfg_find(&annotation->counted.cfg, (struct svma){row->at});
        if (row->function != annotation->row->plain->function || at == INSTRUCTION_NONE)
            continue;
        struct annotated *line = &annotation->at[at];
        groups_merge(&annotation->plain[at], &row->self);
        line->seen = row->self.sum || row->total.sum;
        line->share = plain_share(plain, &row->self);
        line->time = plain_amount(plain, &row->self);
        if (row->total.sum > row->self.sum)
            line->total = plain_amount(plain, &row->total);
    }
}

static const struct scene_function *scene_function_of(const struct annotation *annotation)
{
    const struct scene_functions *functions = &annotation->report->scene->functions;
    for (size_t i = 0; i < functions->n; i++)
        if (functions->at[i].module == annotation->row->module &&
            functions->at[i].function == annotation->row->function)
            return &functions->at[i];
    return NULL;
}

static void costs_walked(struct annotation *annotation)
{
    const struct profile *profile = profile_of(annotation);
    bool exact = profile->mode == PROFILE_EXACT;
    for (size_t i = 0; i < annotation->n; i++) {
        struct annotated *line = &annotation->at[i];
        const struct quantity *quantity = &annotation->counted.flows[0].instructions[i];
        line->seen = quantity->count || quantity->time;
        line->share = estimate_share(profile, quantity, annotation->report->weight == WEIGHT_TIME);
        line->count = estimate_count(profile, quantity);
        if (!exact)
            line->time = estimate_time(profile, quantity);
        if (!exact && quantity->count)
            line->cpi = estimate_cpi(profile, quantity);
    }
}

/* Records tell both ways of a branch, also one that leaves the function and is no edge of its
 * graph. */
static void branches_find(struct annotation *annotation, const struct scene_function *function)
{
    const struct scene *scene = annotation->report->scene;
    const struct profile *profile = profile_of(annotation);
    struct ways {
        struct sums taken, fallen;
    } *ways = mem_alloc((annotation->n + 1) * sizeof *ways);
    for (size_t t = 0; t < function->n_touches; t++) {
        const struct touch *touch = &scene->touches.at[function->first_touch + t];
        const struct edge_key *key =
            touch->kind == TOUCH_OUT ? map_key(&profile->edges.keys, touch->record) : NULL;
        if (!key || (key->kind != EDGE_TAKEN && key->kind != EDGE_FALL))
            continue;
        uint32_t at = cfg_find(&annotation->counted.cfg, key->from);
        if (at != INSTRUCTION_NONE)
            sums_add(key->kind == EDGE_TAKEN ? &ways[at].taken : &ways[at].fallen,
                     &profile->edges.at[touch->record]);
    }
    for (size_t i = 0; i < annotation->n; i++)
        if (annotation->at[i].instruction.kind == INSTRUCTION_COND)
            annotation->at[i].taken = estimate_taken(profile, &ways[i].taken, &ways[i].fallen);
    mem_free(ways);
}

/* ---- where jumps go */

static void labels_number(struct annotation *annotation)
{
    const struct cfg *cfg = &annotation->counted.cfg;
    uint32_t labels = 0;
    bool *target = mem_alloc(annotation->n + 1);
    for (size_t e = 0; e < cfg->edges.n; e++) {
        uint32_t at = cfg_find(cfg, cfg->edges.at[e].to);
        if (cfg->edges.at[e].kind != CFG_FALL && cfg->edges.at[e].kind != CFG_NEXT &&
            at != INSTRUCTION_NONE)
            target[at] = true;
    }
    for (size_t i = 0; i < annotation->n; i++)
        if (target[i])
            annotation->at[i].label = ++labels;
    mem_free(target);
}

/* A label of this function; another function, with how far into it; NULL: something else. */
static const char *place_name(void *context, struct svma at)
{
    struct annotation *annotation = context;
    struct scene *scene = annotation->report->scene;
    uint32_t here = cfg_find(&annotation->counted.cfg, at);
    if (here != INSTRUCTION_NONE && annotation->at[here].label)
        return arena_format(&scene->arena, ".L%u", annotation->at[here].label);
    function_id function = symbols_find(&annotation->binary->symbols, at);
    if (function == FUNCTION_NONE)
        return NULL;
    const struct function *found = &annotation->binary->symbols.functions.at[function];
    const char *name = name_text(scene, found->name);
    if (at.v == found->start.v)
        return arena_format(&scene->arena, "%.200s", name);
    return arena_format(&scene->arena, "%.200s+0x%lx", name, at.v - found->start.v);
}

static int target_order(const void *a, const void *b)
{
    const struct annotated_target *x = a, *y = b;
    if (x->count.value != y->count.value)
        return x->count.value > y->count.value ? -1 : 1;
    if (x->module != y->module)
        return x->module < y->module ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static struct annotated_target target_of(struct annotation *annotation, const struct touch *touch)
{
    struct scene *scene = annotation->report->scene;
    const struct profile *profile = profile_of(annotation);
    const struct edge_key *key = map_key(&profile->edges.keys, touch->record);
    uint32_t module = scene_module(scene, 0, key->to_module);
    struct quantity quantity = quantity_of(profile, &profile->edges.at[touch->record]);
    struct annotated_target target = {
        .module = module, .at = key->to.v, .count = estimate_count(profile, &quantity)};
    if (module == annotation->row->module)
        target.text = place_name(annotation, key->to);
    if (!target.text)
        target.text = name_text(
            scene, scene_function_name(scene, module, scene_function_at(scene, module, key->to.v)));
    return target;
}

/* Indirect jumps and calls: records of the profile, by where they start. */
static void targets_find(struct annotation *annotation, const struct scene_function *function)
{
    const struct scene *scene = annotation->report->scene;
    const struct table *edges = &profile_of(annotation)->edges;
    for (size_t i = 0; i < annotation->n; i++) {
        struct annotated *line = &annotation->at[i];
        line->first_target = annotation->targets.n;
        bool indirect = line->instruction.kind == INSTRUCTION_IJUMP ||
                        line->instruction.kind == INSTRUCTION_ICALL;
        for (size_t t = 0; indirect && t < function->n_touches; t++) {
            const struct touch *touch = &scene->touches.at[function->first_touch + t];
            if (touch->kind != TOUCH_OUT)
                continue;
            const struct edge_key *key = map_key(&edges->keys, touch->record);
            if (key->from.v == line->instruction.at.v)
                *vec_push(&annotation->targets) = target_of(annotation, touch);
        }
        line->n_targets = annotation->targets.n - line->first_target;
        if (line->n_targets)
            qsort(&annotation->targets.at[line->first_target], line->n_targets,
                  sizeof *annotation->targets.at, target_order);
    }
}

/* ---- where it comes from */

static struct annotated_site site_of(struct annotation *annotation,
                                     const struct source_frame *frame)
{
    uint64_t key = (uintptr_t)frame->file;
    if (!frame->file)
        return (struct annotated_site){0, 0};
    uint32_t file = map_add(&annotation->file_keys, &key);
    if (file == annotation->files.n)
        *vec_push(&annotation->files) = frame->file;
    return (struct annotated_site){file, frame->line};
}

static void source_find(struct annotation *annotation, struct code_frames *frames,
                        struct annotated *line)
{
    struct scene *scene = annotation->report->scene;
    code_frames_find(frames, scene, annotation->row->module, line->instruction.at.v);
    line->first_inlined = annotation->inlined.n;
    line->first_site = annotation->sites.n;
    line->n_sites = frames->n;
    for (size_t i = 0; i < frames->n; i++)
        *vec_push(&annotation->sites) = site_of(annotation, &frames->at[i]);
    if (!frames->n)
        return;
    line->file = frames->at[0].file;
    line->line = frames->at[0].line;
    for (size_t i = 0; i + 1 < frames->n; i++)
        if (frames->at[i].linkage)
            *vec_push(&annotation->inlined) = intern_text(&scene->names, frames->at[i].linkage);
    line->n_inlined = annotation->inlined.n - line->first_inlined;
}

/* ---- all */

static void text_make(struct annotation *annotation, enum assembly_syntax syntax)
{
    struct scene *scene = annotation->report->scene;
    struct code_frames frames = {0};
    char text[512];
    for (size_t i = 0; i < annotation->n; i++) {
        struct annotated *line = &annotation->at[i];
        bool good = assembly_text(&annotation->binary->image, line->instruction.at, syntax,
                                  place_name, annotation, text, sizeof text);
        line->assembly = good ? arena_string(&scene->arena, text) : "(bad)";
        source_find(annotation, &frames, line);
    }
    vec_release(&frames);
}

bool annotation_make(struct annotation *annotation, const struct annotator *annotator,
                     const struct report_row *row, struct err *err)
{
    const struct report *report = annotator->report;
    struct scene *scene = report->scene;
    *annotation = (struct annotation){.report = report, .row = row};
    if (row->module >= scene->modules.n || row->function == FUNCTION_NONE)
        return err_set(err, ERR_MISSING, "%s: there is no code to show: %s", row->name,
                       row->module < scene->modules.n && scene->modules.at[row->module].missing
                           ? scene->modules.at[row->module].missing
                           : "outside of every known module");
    map_init(&annotation->file_keys, sizeof(uint64_t));
    annotation->binary = scene->modules.at[row->module].binary;
    const struct scene_function *function = scene_function_of(annotation);
    struct scene_function unseen = {.module = row->module, .function = row->function};
    counted_function_build(&annotation->counted, scene, function ? *function : unseen);
    for (size_t i = 0; i < annotation->counted.cfg.instructions.n; i++) {
        struct annotated *line = vec_push(annotation);
        line->instruction = annotation->counted.cfg.instructions.at[i];
        costs_clear(line);
    }
    labels_number(annotation);
    if (report->has_plain)
        costs_plain(annotation, annotator);
    else if (function)
        costs_walked(annotation);
    if (function)
        branches_find(annotation, function);
    if (function)
        targets_find(annotation, function);
    text_make(annotation, annotator->syntax);
    return true;
}

void annotation_release(struct annotation *annotation)
{
    counted_function_release(&annotation->counted);
    vec_release(&annotation->targets);
    vec_release(&annotation->inlined);
    vec_release(&annotation->sites);
    vec_release(&annotation->files);
    map_release(&annotation->file_keys);
    mem_free(annotation->plain);
    vec_release(annotation);
}
