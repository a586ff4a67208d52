#include "analysis/report/report_parts.h"

#include "analysis/report/inclusive.h"

#include "base/err.h"
#include "program/names/match.h"
#include "program/source.h"

#include <stdlib.h>
#include <string.h>

/* ---- rows of what was walked */

static const char *item_name(const struct report *report, const struct item *item)
{
    const char *named = item->function == FUNCTION_NONE && item->at
                            ? scene_named(report->scene, 0, item->module, item->at)
                            : NULL;
    if (named && report->by == BY_FUNCTION)
        return named;
    return scene_function_name(report->scene, item->module, item->function);
}

static void rows_make(struct report *report, const struct items *items)
{
    vec_reserve(report, items->n);
    for (size_t i = 0; i < items->n; i++) {
        const struct item *item = &items->at[i];
        function_id target = scene_function_at(report->scene, item->to_module, item->to);
        *vec_push(report) = (struct report_row){
            .module = item->module,
            .to_module = item->to_module,
            .function = item->function,
            .name = item_name(report, item),
            .to_name = scene_function_name(report->scene, item->to_module, target),
            .at = item->at,
            .to = item->to,
            .bytes = item->bytes,
            .kind = item->kind,
            .irreducible = item->irreducible,
            .count = item->count[0],
            .body = item->body[0],
            .entries = item->entries[0],
            .depth = item->depth,
            .trips = item->trips};
    }
}

/* A body of which several instructions are part. */
struct body_key {
    uint64_t file; /* pointer to the name, which is one for one file of a module */
    uint64_t name; /* of a function: likewise; 0: a line's */
    uint32_t module, line;
    uint64_t inlined;
};

static void line_find(struct report *report, struct report_row *row)
{
    struct binary *binary = report->scene->modules.at[row->module].binary;
    if (binary)
        lines_find(binary_lines(binary), (struct svma){row->at}, &row->file, &row->line);
}

/* The innermost function that the instruction is part of. */
static void inline_find(struct report *report, struct report_row *row)
{
    struct source_frame frame = {0};
    struct binary *binary = report->scene->modules.at[row->module].binary;
    size_t n = binary ? source_frames(binary, (struct svma){row->at}, &frame, 1) : 0;
    row->inlined = n > 1 && frame.linkage;
    row->file = n ? frame.file : NULL;
    if (row->inlined)
        row->name = intern_text(&report->scene->names, frame.linkage);
}

/* A line stands at its heaviest instruction: several functions may have inlined it. */
static void line_move(const struct report *report, struct report_row *row,
                      const struct report_row *found, const struct item *item)
{
    const struct quantity *body = &item->body[0];
    uint64_t weight = report->weight == WEIGHT_TIME ? body->time : body->count;
    if (report->by != BY_LINE || weight <= row->heaviest)
        return;
    row->heaviest = weight;
    row->function = found->function;
    row->name = found->name;
    row->at = found->at;
}

static void bodies_make(struct report *report, const struct items *items)
{
    struct map places;
    map_init(&places, sizeof(struct body_key));
    for (size_t i = 0; i < items->n; i++) {
        const struct item *item = &items->at[i];
        struct report_row found = {.module = item->module,
                                   .function = item->function,
                                   .name = item_name(report, item),
                                   .at = item->at};
        if (report->by == BY_LINE)
            line_find(report, &found);
        else
            inline_find(report, &found);
        bool own = report->by == BY_INLINE && !found.inlined;
        struct body_key key = {.file = own ? 0 : (uintptr_t)found.file,
                               .module = found.module,
                               .line = found.line,
                               .name = report->by == BY_INLINE ? (uintptr_t)found.name : 0,
                               .inlined = found.inlined};
        uint32_t place = map_add(&places, &key);
        if (place == report->n)
            *vec_push(report) = found;
        struct report_row *row = &report->at[place];
        quantity_add(&row->body, &item->body[0]);
        line_move(report, row, &found, item);
        if (item->count[0].count > row->count.count)
            row->count = item->count[0];
    }
    map_release(&places);
}

static void walked_make(struct report *report)
{
    struct items items;
    items_list(&items, report->scene, report->by);
    if (report->by == BY_LINE || report->by == BY_INLINE)
        bodies_make(report, &items);
    else
        rows_make(report, &items);
    report->stray = items.stray;
    report->landings = items.landings[0];
    report->begun = items.begun;
    report->ended = items.ended;
    items_release(&items);
}

/* ---- rows of what was sampled plainly */

static bool plain_any(const struct plain_row *row)
{
    return row->self.sum || row->total.sum || row->beside.sum;
}

static void plain_make(struct report *report)
{
    plain_list(&report->plain_rows, &report->plain, report->by);
    for (size_t i = 0; i < report->plain_rows.n; i++) {
        const struct plain_row *from = &report->plain_rows.at[i];
        const struct plain_function *function = &report->plain.functions.at[from->function];
        if (!plain_any(from))
            continue;
        struct report_row *row = vec_push(report);
        *row = (struct report_row){.module = function->module,
                                   .function = function->function,
                                   .name = from->name ? from->name : function->name,
                                   .at = from->at,
                                   .bytes = from->bytes,
                                   .file = from->file,
                                   .line = from->line,
                                   .inlined = from->name != NULL,
                                   .plain = from};
        if (report->by == BY_CALL) {
            const struct plain_function *callee = &report->plain.functions.at[from->callee];
            row->to_module = callee->module;
            row->to_name = callee->name;
            row->to = callee->start;
        }
    }
}

/* ---- order */

static int text_order(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

static int number_order(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int row_order(const void *a, const void *b, void *context)
{
    const struct report *report = context;
    const struct report_row *x = a, *y = b;
    if (report->both && x->rank != y->rank)
        return x->rank > y->rank ? -1 : 1;
    int order = report->both ? 0 : number_order(report_weight(report, y), report_weight(report, x));
    if (!order && x->plain && y->plain && x->kernel == y->kernel)
        order = number_order(y->plain->total.sum, x->plain->total.sum);
    if (!order && x->below && y->below && report->both)
        order = number_order(y->below->total.sum, x->below->total.sum);
    if (!order && x->below && y->below)
        order = number_order(y->below->beside.sum, x->below->beside.sum);
    if (!order)
        order = number_order(x->module, y->module);
    if (!order)
        order = number_order(x->at, y->at);
    if (!order)
        order = number_order(x->to_module, y->to_module);
    if (!order)
        order = number_order(x->to, y->to);
    if (!order)
        order = number_order(x->kind, y->kind);
    if (!order)
        order = text_order(x->file, y->file);
    if (!order)
        order = text_order(x->name, y->name);
    return order ? order : number_order(x->line, y->line);
}

/* ---- all */

static bool kernel_wanted(const struct scene *scene)
{
    return scene->only_module && strcmp(scene->only_module, "[kernel]") == 0;
}

/* Branch records of hardware come with samples of its event, which has no time that rows of counts
 * could have. */
static bool event_wanted(const struct scene *scene, const struct report_options *options)
{
    bool counted = options->has_weight && options->weight == WEIGHT_COUNT;
    bool edges = options->by == BY_EDGE || options->by == BY_CALL || options->by == BY_LOOP;
    return plain_counts_events(scene->sides[0]) && !counted && !edges;
}

/* Whether rows are made of stacks: those of one thread, and the kernel's, are also where the
 * profile was walked. */
static bool by_stacks(const struct scene *scene, const struct report_options *options)
{
    bool part = options->pid || options->tid || kernel_wanted(scene);
    enum profile_mode mode = scene->sides[0]->mode;
    return mode == PROFILE_PLAIN ||
           (mode == PROFILE_SAMPLED && (part || event_wanted(scene, options)));
}

static bool weight_settle(struct report *report, const struct report_options *options,
                          struct err *err)
{
    const struct profile *profile = report->scene->sides[0];
    bool plain = by_stacks(report->scene, options), exact = profile->mode == PROFILE_EXACT;
    bool events = plain && plain_counts_events(profile);
    bool kernel = options->both && report->by == BY_FUNCTION && profile->totals.kernel_samples;
    bool timed = !plain && !exact && !plain_counts_events(profile) && report_has_body(report) &&
                 (profile->totals.samples || kernel);
    report->weight = (plain && !events) || timed ? WEIGHT_TIME : WEIGHT_COUNT;
    if (!options->has_weight || options->weight == report->weight)
        return true;
    if (!plain && (report->by == BY_EDGE || report->by == BY_CALL))
        return err_set(err, ERR_USAGE, "edges and calls take no time: --weight count");
    if (exact)
        return err_set(err, ERR_FORMAT, "an exact profile has no times: --weight count");
    if (events)
        return err_set(err, ERR_FORMAT, "this profile counts %s and has no times: --weight count",
                       profile_fact_find(profile, "event"));
    if (plain)
        return err_set(err, ERR_FORMAT, "%s: --weight time",
                       profile->mode == PROFILE_PLAIN ? "a plain profile has no counts"
                       : kernel_wanted(report->scene)
                           ? "the kernel was sampled, not counted"
                           : "counts are not kept thread by thread, times are");
    report->weight = options->weight;
    return true;
}

/* Whether stacks can tell it. */
static bool stacks_tell(const struct report *report, struct err *err)
{
    static const char *const names[] = {
        [BY_EDGE] = "edges", [BY_LOOP] = "runs of loops", [BY_CALL] = "calls"};
    const char *name = report->by <= BY_LOOP || report->by == BY_CALL ? names[report->by] : NULL;
    if (!name)
        return true;
    if (report->scene->sides[0]->mode == PROFILE_SAMPLED && kernel_wanted(report->scene))
        return report->by == BY_CALL ||
               err_set(err, ERR_FORMAT, "of the kernel there are samples and no %s: --by function",
                       name);
    if (report->scene->sides[0]->mode == PROFILE_SAMPLED)
        return err_set(err, ERR_FORMAT,
                       "--pid, --tid: %s are not kept thread by thread, times are: --by function",
                       name);
    return report->by == BY_CALL ||
           err_set(err, ERR_FORMAT,
                   "a plain profile has samples and no %s: gait record without --plain, or "
                   "--by block",
                   name);
}

/* A function that was seen in nothing but calls of the kernel. */
static void kernel_caller_add(struct report *report, const struct plain_row *below)
{
    const struct plain_function *function = &report->plain.functions.at[below->function];
    if (function->module == MODULE_NONE)
        return;
    *vec_push(report) = (struct report_row){.module = function->module,
                                            .function = function->function,
                                            .name = function->name,
                                            .at = function->start,
                                            .below = below};
}

/* No padding: compared by bytes. What has no symbol is told apart by where it starts. */
struct function_key {
    uint32_t module, function;
    uint64_t start;
};

static struct function_key function_key(uint32_t module, function_id function, uint64_t start)
{
    return (struct function_key){module, function, function == FUNCTION_NONE ? start : 0};
}

/* Stacks of walks tell what was spent below each function. */
static void below_find(struct report *report)
{
    const struct profile *profile = report->scene->sides[0];
    struct err ignored;
    if (profile->mode != PROFILE_SAMPLED || report->by != BY_FUNCTION ||
        !stacks_have_callers(&profile->stacks) ||
        !plain_open(&report->plain, report->scene, 0, (struct plain_filter){0}, &ignored))
        return;
    report->has_below = true;
    plain_list(&report->plain_rows, &report->plain, BY_FUNCTION);
    struct map functions; /* as plain_rows */
    map_init(&functions, sizeof(struct function_key));
    for (size_t i = 0; i < report->plain_rows.n; i++) {
        const struct plain_function *function =
            &report->plain.functions.at[report->plain_rows.at[i].function];
        struct function_key key =
            function_key(function->module, function->function, function->start);
        map_add(&functions, &key);
    }
    bool known = functions.n == report->plain_rows.n;
    bool *met = mem_alloc((functions.n + (size_t)1) * sizeof *met);
    for (size_t i = 0; known && i < report->n; i++) {
        struct report_row *row = &report->at[i];
        struct function_key key = function_key(row->module, row->function, row->at);
        uint32_t found = map_find(&functions, &key);
        if (found == MAP_NONE)
            continue;
        row->below = &report->plain_rows.at[found];
        met[found] = true;
    }
    for (uint32_t i = 0; known && i < functions.n; i++)
        if (!met[i] && report->plain_rows.at[i].beside.sum)
            kernel_caller_add(report, &report->plain_rows.at[i]);
    mem_free(met);
    map_release(&functions);
}

/* A trace tells what was executed below each function. One that nobody was seen to call, such as
 * the first of a thread, has at least its own. */
static void inclusive_add(struct report *report)
{
    const struct profile *profile = report->scene->sides[0];
    struct inclusive inclusive;
    if (report->by != BY_FUNCTION || !profile->call_costs.cells.n)
        return;
    inclusive_make(&inclusive, report->scene, 0);
    for (size_t i = 0; i < report->n; i++) {
        struct report_row *row = &report->at[i];
        if (inclusive_find(&inclusive, row->module, row->at, &row->inclusive) &&
            row->inclusive < row->body.count)
            row->inclusive = row->body.count;
    }
    inclusive_release(&inclusive);
    report->has_inclusive = true;
}

static bool rows_make_all(struct report *report, const struct report_options *options,
                          struct err *err)
{
    struct scene *scene = report->scene;
    if (!by_stacks(scene, options)) {
        if (options->pid || options->tid)
            return err_set(err, ERR_FORMAT,
                           "--pid, --tid: an exact profile does not keep threads apart; "
                           "the times of one of gait record without --exact do");
        walked_make(report);
        below_find(report);
        inclusive_add(report);
        return true;
    }
    if (!stacks_tell(report, err))
        return false;
    struct plain_filter filter = {.pid = options->pid, .tid = options->tid};
    filter.kernel = kernel_wanted(scene);
    if (!plain_open(&report->plain, scene, 0, filter, err))
        return false;
    report->has_plain = true;
    plain_make(report);
    return true;
}

/* Of calls, both ends may be meant. */
static void calls_keep(struct report *report, const char *pattern)
{
    struct scene *scene = report->scene;
    size_t n = 0;
    for (size_t i = 0; i < report->n; i++) {
        const struct report_row *row = &report->at[i];
        if (name_matches(pattern, row->name, scene_readable(scene, row->name)) ||
            (row->to_name &&
             name_matches(pattern, row->to_name, scene_readable(scene, row->to_name))))
            report->at[n++] = *row;
    }
    report->n = n;
}

bool report_make(struct report *report, struct scene *scene, struct report_options options,
                 struct err *err)
{
    *report = (struct report){.scene = scene,
                              .by = options.by,
                              .input = options.input,
                              .wants_counts = options.has_weight};
    if (!weight_settle(report, &options, err) || !rows_make_all(report, &options, err))
        return false;
    if (options.fold_stubs)
        report_fold_stubs(report);
    for (size_t i = 0; i < report->n; i++)
        report->total += report_weight(report, &report->at[i]);
    report_rank_both(report, &options);
    if (options.either)
        calls_keep(report, options.either);
    /* A function that ran may have no loop, or no call. */
    bool ran = scene->only_function && scene->functions.n;
    if (!report->n && ((scene->only_function && !ran) || options.either)) {
        report_release(report);
        return err_set(err, ERR_MISSING, "no function '%s' was seen to %s; see gait report",
                       options.either ? options.either : scene->only_function,
                       options.either ? "call or be called" : "run");
    }
    if (report->n)
        qsort_r(report->at, report->n, sizeof *report->at, row_order, report);
    return true;
}

void report_release(struct report *report)
{
    vec_release(report);
    if (report->both) {
        plain_rows_release(&report->kernel_rows);
        plain_close(&report->kernel);
    }
    if (!report->has_plain && !report->has_below)
        return;
    plain_rows_release(&report->plain_rows);
    plain_close(&report->plain);
}
