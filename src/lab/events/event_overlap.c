#include "lab/events/event_overlap.h"

#include "analysis/counts/classes.h"
#include "analysis/counts/counted_module.h"
#include "analysis/counts/problem.h"
#include "base/err.h"
#include "lab/events/line_counts.h"
#include "profile/events.h"
#include "profile/file/file.h"

enum { COUNTED, SAMPLED };

struct event_twins {
    struct profile profile; /* samples of the event */
    struct scene scene;     /* sides: COUNTED and SAMPLED */
};

struct event_twins *event_twins_open(const struct lab_recording *recording, const char *event,
                                     struct err *err)
{
    struct event_twins *twins = mem_alloc(sizeof *twins);
    if (!profile_read(recording->file, &twins->profile, err)) {
        mem_free(twins);
        return NULL;
    }
    if (!profile_choose_event(&twins->profile, event, err)) {
        err_in(err, "%s", recording->file);
        profile_release(&twins->profile);
        mem_free(twins);
        return NULL;
    }
    const struct profile *sides[SIDES_MAX] = {recording->profile, &twins->profile};
    scene_open(&twins->scene, sides, SIDES_MAX, NULL);
    scene_take_plain(&twins->scene);
    twins->scene.inferred[SAMPLED] = true;
    return twins;
}

void event_twins_close(struct event_twins *twins)
{
    scene_close(&twins->scene);
    profile_release(&twins->profile);
    mem_free(twins);
}

/* Weights of both sides, key by key. */
struct weights {
    VEC(struct weight_pair { double of[SIDES_MAX]; });
};

static void weights_add(struct weights *weights, double counted, double sampled)
{
    if (counted > 0 || sampled > 0)
        *vec_push(weights) = (struct weight_pair){{counted, sampled}};
}

static double weights_overlap(const struct weights *weights)
{
    double sums[SIDES_MAX] = {0}, overlap = 0;
    for (size_t i = 0; i < weights->n; i++)
        for (int s = 0; s < SIDES_MAX; s++)
            sums[s] += weights->at[i].of[s];
    for (size_t i = 0; i < weights->n && sums[COUNTED] > 0 && sums[SAMPLED] > 0; i++) {
        double counted = weights->at[i].of[COUNTED] / sums[COUNTED];
        double sampled = weights->at[i].of[SAMPLED] / sums[SAMPLED];
        overlap += counted < sampled ? counted : sampled;
    }
    return overlap;
}

struct reading {
    struct event_twins *twins;
    struct weights edges, functions, source;
    bool by_lines;
};

static void function_read(struct reading *reading, const struct counted_function *function)
{
    const struct flow *flows = function->flows;
    for (size_t i = 0; i < function->cfg.edges.n; i++)
        weights_add(&reading->edges, (double)flows[COUNTED].edges[i].count,
                    (double)flows[SAMPLED].edges[i].count);
    weights_add(&reading->functions, (double)flows[COUNTED].body.count,
                (double)flows[SAMPLED].body.count);
}

/* As a compiler does that reads a profile of lines: blocks get the counts of their lines, and flow
 * makes edges of them. */
static void function_by_lines(struct reading *reading, const struct counted_function *function,
                              const struct line_counts *lines)
{
    struct infer_problem problem;
    struct problem_parts parts = {.scene = &reading->twins->scene,
                                  .function = &function->seen,
                                  .side = SAMPLED,
                                  .cfg = &function->cfg,
                                  .flow = &function->flows[SAMPLED]};
    problem_make_plain(&problem, &parts, INFER_PROFI);
    for (block_id b = 0; b < function->cfg.blocks.n; b++)
        problem.blocks.at[b].ran.seen = line_counts_block(lines, &function->cfg, b);
    infer_solve(&problem, INFER_PROFI);
    problem_weigh_plain(&problem, parts.cfg);
    for (size_t i = 0; i < problem.edges.n; i++)
        weights_add(&reading->source, (double)function->flows[COUNTED].edges[i].count,
                    (double)problem.edges.at[i].gone.inferred);
    infer_release(&problem);
}

static void module_read(struct reading *reading, uint32_t module)
{
    struct counted_module counted;
    struct line_counts lines;
    counted_module_open(&counted, &reading->twins->scene, module, true);
    if (reading->by_lines)
        line_counts_open(&lines, reading->twins->scene.modules.at[module].binary);
    for (size_t f = 0; f < counted.functions.n; f++) {
        const struct counted_function *function = counted_module_take(&counted, f);
        function_read(reading, function);
        if (reading->by_lines)
            line_counts_add(&lines, &function->cfg, &function->flows[SAMPLED]);
    }
    for (size_t f = 0; reading->by_lines && line_counts_known(&lines) && f < counted.functions.n;
         f++)
        function_by_lines(reading, &counted.functions.at[f], &lines);
    for (size_t f = 0; f < counted.functions.n; f++)
        counted_module_drop(&counted, f);
    if (reading->by_lines)
        line_counts_close(&lines);
    counted_module_close(&counted);
}

static const double TIME_FINE = 64; /* of counts of plain samples */

/* What the regression makes of each block becomes its count or, if `near` is not 0, its class. */
static void counts_regress(struct infer_problem *problem, const struct problem_parts *parts,
                           const struct event_regression *regression, double near)
{
    const struct cfg *cfg = parts->cfg;
    double *said = mem_alloc(cfg->blocks.n * sizeof *said + 1), sampled = 0, all = 0;
    for (block_id b = 0; b < cfg->blocks.n; b++) {
        struct event_block block =
            event_places_block(regression->places, parts->function->module, cfg, b);
        said[b] = event_weights_say(regression->weights, regression->program, &block);
        sampled += (double)problem->blocks.at[b].ran.seen * cfg->blocks.at[b].instructions;
        all += said[b] * cfg->blocks.at[b].instructions;
    }
    for (block_id b = 0; b < cfg->blocks.n; b++) {
        struct infer_block *block = &problem->blocks.at[b];
        if (near > 0 && all > 0)
            block->sampled = class_of_truth((double)block->ran.seen, said[b] * sampled / all, near);
        else if (near == 0)
            block->ran.seen = (uint64_t)(TIME_FINE * said[b]);
    }
    mem_free(said);
}

static void function_regressed(struct reading *reading, const struct counted_function *function,
                               const struct event_regression *regression, double near)
{
    enum infer_method method = near > 0 ? INFER_CLASSES : INFER_CONFIDENCE;
    struct infer_problem problem;
    struct problem_parts parts = {.scene = &reading->twins->scene,
                                  .function = &function->seen,
                                  .side = SAMPLED,
                                  .cfg = &function->cfg,
                                  .flow = &function->flows[SAMPLED]};
    problem_make_plain(&problem, &parts, method);
    counts_regress(&problem, &parts, regression, near);
    infer_solve(&problem, method);
    problem_weigh_plain(&problem, parts.cfg);
    for (size_t i = 0; i < problem.edges.n; i++)
        weights_add(&reading->edges, (double)function->flows[COUNTED].edges[i].count,
                    (double)problem.edges.at[i].gone.inferred);
    infer_release(&problem);
}

static double twins_regress(struct event_twins *twins, const struct event_regression *regression,
                            double near)
{
    struct reading reading = {.twins = twins};
    twins->scene.method = INFER_CONFIDENCE;
    for (uint32_t m = 0; m < twins->scene.modules.n; m++) {
        struct counted_module counted;
        if (!twins->scene.modules.at[m].binary)
            continue;
        counted_module_open(&counted, &twins->scene, m, false);
        for (size_t f = 0; f < counted.functions.n; f++) {
            function_regressed(&reading, counted_module_take(&counted, f), regression, near);
            counted_module_drop(&counted, f);
        }
        counted_module_close(&counted);
    }
    double overlap = weights_overlap(&reading.edges);
    vec_release(&reading.edges);
    return overlap;
}

double event_twins_regressed(struct event_twins *twins, const struct event_regression *regression)
{
    return twins_regress(twins, regression, 0);
}

double event_twins_classified(struct event_twins *twins, const struct event_regression *regression,
                              const struct class_rule *rule)
{
    if (rule->near > 0)
        return twins_regress(twins, regression, rule->near);
    twins->scene.rules = (struct class_rules){rule->under, rule->over};
    double overlap = event_twins_overlap(twins, INFER_CLASSES, false).edges;
    twins->scene.rules = (struct class_rules){0};
    return overlap;
}

struct event_overlap event_twins_overlap(struct event_twins *twins, enum infer_method method,
                                         bool source)
{
    struct reading reading = {.twins = twins, .by_lines = source};
    twins->scene.method = method;
    for (uint32_t m = 0; m < twins->scene.modules.n; m++)
        if (twins->scene.modules.at[m].binary)
            module_read(&reading, m);
    struct event_overlap overlap = {weights_overlap(&reading.edges),
                                    weights_overlap(&reading.functions),
                                    weights_overlap(&reading.source)};
    vec_release(&reading.edges);
    vec_release(&reading.functions);
    vec_release(&reading.source);
    return overlap;
}
