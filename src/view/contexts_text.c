#include "view/views.h"

#include "analysis/report/contexts.h"
#include "profile/model_costs.h"

#include "view/head.h"
#include "text/sheet.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A chain of calls longer than this goes on in the next line; less where a terminal has less room
 * beside the figures. */
enum { NAMES_WIDE = 96, NAMES_NARROW = 24, FIGURES_WIDE = 39, BESIDE_WIDE = 9 };

struct printer {
    const struct calling_contexts *contexts;
    struct contexts_text_options options;
    const struct ink *ink;
    struct sheet sheet;
    char align[8];
    bool beside;
    /* Children of context i: order[first_child[i]] to before order[first_child[i + 1]], heaviest
     * first; the roots are those of i = n. */
    uint32_t *order, *first_child;
    uint64_t left_out; /* contexts that are too light to show, or too deep */
};

/* ---- what weighs: ticks where an exact recording took them, or instructions, else calls; of
 * others what was sampled */

static bool has_ticks(const struct calling_contexts *contexts)
{
    return contexts->plain->profile->mode == PROFILE_EXACT && contexts->whole.at[STACK_TICKS];
}

static uint64_t weight_of(const struct calling_contexts *contexts, const struct groups *groups)
{
    if (contexts->options.weighs)
        return groups->at[contexts->options.weighs];
    return has_ticks(contexts)                    ? groups->at[STACK_TICKS]
           : contexts_have_instructions(contexts) ? groups->at[STACK_INSTRUCTIONS]
                                                  : groups->sum;
}

/* ---- in which order */

/* Whether --function means it. */
static bool is_asked(const struct calling_contexts *contexts, const struct calling_context *context)
{
    return contexts->wanted && context->function < contexts->frames.functions.n &&
           contexts->wanted[context->function];
}

static int heavier_first(const void *a, const void *b, void *data)
{
    const struct calling_contexts *contexts = data;
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    const struct calling_context *x = &contexts->at[i], *y = &contexts->at[j];
    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    /* A flat list is about the functions themselves. */
    bool flat = contexts->options.form == CONTEXTS_FLAT;
    if (flat && is_asked(contexts, x) != is_asked(contexts, y))
        return is_asked(contexts, x) ? -1 : 1;
    uint64_t x_total = weight_of(contexts, x->total.groups),
             y_total = weight_of(contexts, y->total.groups);
    uint64_t x_first = flat ? weight_of(contexts, x->self.groups) : x_total,
             y_first = flat ? weight_of(contexts, y->self.groups) : y_total;
    if (x_first != y_first)
        return x_first > y_first ? -1 : 1;
    if (x_total != y_total)
        return x_total > y_total ? -1 : 1;
    int by_name = strcmp(context_name(contexts, x), context_name(contexts, y));
    return by_name ? by_name : i < j ? -1 : i > j;
}

static void children_sort(struct printer *printer)
{
    const struct calling_contexts *contexts = printer->contexts;
    uint32_t n = (uint32_t)contexts->n;
    printer->order = mem_alloc((n + 1) * sizeof *printer->order);
    printer->first_child = mem_alloc((n + 2) * sizeof *printer->first_child);
    for (uint32_t i = 0; i < n; i++)
        printer->order[i] = i;
    /* CONTEXT_NONE is the largest number: roots come last. */
    qsort_r(printer->order, n, sizeof *printer->order, heavier_first, (void *)(uintptr_t)contexts);
    uint32_t at = 0;
    for (uint32_t i = 0; i <= n; i++) {
        uint32_t parent = i < n ? i : CONTEXT_NONE;
        printer->first_child[i] = at;
        while (at < n && contexts->at[printer->order[at]].parent == parent)
            at++;
    }
    printer->first_child[n + 1] = at;
}

/* ---- cells */

static double share_of(const struct printer *printer, const struct groups *groups)
{
    const struct calling_contexts *contexts = printer->contexts;
    uint64_t whole = weight_of(contexts, &contexts->whole);
    return whole ? (double)weight_of(contexts, groups) / (double)whole : 0;
}

/* What is in the part and what is not vary apart from each other. */
static struct estimate ticks_share(const struct printer *printer, const struct groups *part)
{
    const struct groups *whole = &printer->contexts->whole;
    double share = share_of(printer, part), rest = 1 - share;
    double spread = (double)part->at[STACK_SPREAD], all = (double)whole->at[STACK_SPREAD];
    double varies = rest * rest * spread + share * share * fmax(0, all - spread);
    double half = 1.96 * sqrt(varies * STACK_SPREAD_UNIT) / (double)whole->at[STACK_TICKS];
    const struct context_clock *clock = &printer->contexts->clock;
    struct estimate of = context_clock_estimate(clock, (double)part->at[STACK_TICKS],
                                                (double)part->at[STACK_VISITS], 0);
    double all_ticks = (double)whole->at[STACK_TICKS]; /* nearly the CPU time, whoever has it */
    double others = fmax(0, clock->least - of.value);  /* or less, in short runs */
    double most = of.hi > 0 ? fmax(of.hi / all_ticks, of.hi / (of.hi + others)) : 0;
    return (struct estimate){share, fmax(0, of.lo / all_ticks - half), fmin(1, most + half)};
}

static void share_cell(struct printer *printer, const struct groups *groups, struct estimate share)
{
    uint32_t weighs = printer->contexts->options.weighs;
    double alone = share_of(printer, groups);
    if (weighs || (!has_ticks(printer->contexts) && contexts_have_instructions(printer->contexts)))
        share = (struct estimate){alone, alone, alone};
    else if (has_ticks(printer->contexts))
        share = ticks_share(printer, groups);
    sheet_cell(&printer->sheet, "%s",
               weight_of(printer->contexts, groups)
                   ? share_text(printer->contexts->plain->profile, share)
                   : "-");
    sheet_tone(&printer->sheet, ink_of_share(share.value));
}

/* Whoever reads "calls" beside a name takes it for how often that was called: so calls are a
 * context's own. Time is that of all below. Bottom-up both are the same. */
static bool is_of_calls(const struct printer *printer)
{
    return printer->contexts->plain->profile->mode == PROFILE_EXACT &&
           printer->contexts->options.form != CONTEXTS_BOTTOM_UP;
}

static void amount_cell(struct printer *printer, const struct groups *groups)
{
    struct estimate amount = plain_amount(printer->contexts->plain, groups);
    if (plain_counts_events(printer->contexts->plain->profile))
        sheet_cell(&printer->sheet, "%s", count_text(amount.value, false));
    else
        sheet_cell(&printer->sheet, "%.3f s", amount.value);
}

static void beside_cell(struct printer *printer, const struct groups *groups)
{
    const struct plain *plain = printer->contexts->plain;
    if (!printer->beside)
        return;
    if (!groups->sum)
        sheet_cell(&printer->sheet, "-");
    else if (plain_counts_events(plain->profile))
        sheet_cell(&printer->sheet, "%s", count_text(plain_beside(plain, groups), false));
    else
        sheet_cell(&printer->sheet, "%.3f s", plain_beside(plain, groups));
}

static const char *label(const struct printer *printer, uint32_t i)
{
    const struct calling_contexts *contexts = printer->contexts;
    const struct calling_context *context = &contexts->at[i];
    const struct context_function *function =
        context_has_function(context) ? &contexts->frames.functions.at[context->function] : NULL;
    struct arena *arena = &contexts->plain->scene->arena;
    const char *site = "";
    if (contexts->options.sites && context->site_line) {
        const char *slash = context->site_file ? strrchr(context->site_file, '/') : NULL;
        site = arena_format(arena, " at %s:%" PRIu32,
                            slash                ? slash + 1
                            : context->site_file ? context->site_file
                                                 : "?",
                            context->site_line);
    }
    return arena_format(arena, "%s%s%s%s%s", function && function->kernel ? "[k] " : "",
                        function ? name_text(contexts->plain->scene, function->name)
                                 : context_name(contexts, context),
                        function && function->inlined ? " [inlined]" : "",
                        context->recursive ? " [recursive]" : "", site);
}

/* ---- a tree */

static bool is_shown(const struct printer *printer, uint32_t i)
{
    const struct calling_context *context = &printer->contexts->at[i];
    return context->total.sum &&
           share_of(printer, context->total.groups) >= printer->options.min_share;
}

static uint32_t only_child(const struct printer *printer, uint32_t i)
{
    uint32_t first = printer->first_child[i], end = printer->first_child[i + 1];
    bool alone = first < end && is_shown(printer, printer->order[first]) &&
                 (first + 1 == end || !printer->contexts->at[printer->order[first + 1]].total.sum);
    return alone ? printer->order[first] : CONTEXT_NONE;
}

/* What has nothing of its own to show and only one to go on to stands in one line with it. */
static uint32_t chain_end(const struct printer *printer, uint32_t i)
{
    bool up = printer->contexts->options.form == CONTEXTS_BOTTOM_UP;
    for (;;) {
        const struct calling_context *context = &printer->contexts->at[i];
        uint32_t child = only_child(printer, i);
        bool has_own = !up &&
                       share_of(printer, context->self.groups) >= printer->options.min_share &&
                       context->self.sum;
        bool whole =
            child != CONTEXT_NONE &&
            printer->contexts->at[child].total.sum + context->self.sum >= context->total.sum;
        if (child == CONTEXT_NONE || has_own || (up && context->parent == CONTEXT_NONE) || !whole ||
            context->function == CONTEXT_THREAD)
            return i;
        i = child;
    }
}

static void more_cells(struct printer *printer, uint32_t level, const char *names)
{
    int columns = 2 + (printer->contexts->options.form == CONTEXTS_TOP_DOWN) + printer->beside;
    for (int i = 0; i < columns; i++)
        sheet_cell(&printer->sheet, "%s", "");
    sheet_cell(&printer->sheet, "%*s%s", (int)(2 * level), "", names);
}

static size_t names_room(const struct printer *printer, uint32_t level)
{
    const struct scene *scene = printer->contexts->plain->scene;
    int figures = FIGURES_WIDE + (printer->beside ? BESIDE_WIDE : 0);
    int room = scene->columns - figures - (int)(2 * level);
    if (!scene->columns || scene->verbose)
        return NAMES_WIDE;
    return room < NAMES_NARROW ? NAMES_NARROW : room > NAMES_WIDE ? NAMES_WIDE : (size_t)room;
}

static void chain_print(struct printer *printer, uint32_t head, uint32_t tail, uint32_t level,
                        bool cut)
{
    const struct calling_contexts *contexts = printer->contexts;
    const struct calling_context *context = &contexts->at[head];
    struct arena *arena = &contexts->plain->scene->arena;
    const char *join = contexts->options.form == CONTEXTS_BOTTOM_UP ? " < " : " > ";
    const char *line = label(printer, head);
    bool first = true;
    share_cell(printer, context->total.groups,
               context_total_share(contexts, context->total.groups, context->beside.groups));
    amount_cell(printer,
                is_of_calls(printer) ? contexts->at[tail].self.groups : context->total.groups);
    if (contexts->options.form == CONTEXTS_TOP_DOWN)
        share_cell(printer, contexts->at[tail].self.groups,
                   context_self_share(contexts, &contexts->at[tail]));
    beside_cell(printer, context->beside.groups);
    for (uint32_t i = head; i != tail;) {
        i = printer->order[printer->first_child[i]];
        const char *next = label(printer, i);
        if (strlen(line) + strlen(next) + 3 <= names_room(printer, level)) {
            line = arena_format(arena, "%s%s%s", line, join, next);
            continue;
        }
        if (first)
            sheet_cell(&printer->sheet, "%*s%s", (int)(2 * level), "", line);
        else
            more_cells(printer, level, line);
        first = false;
        line = arena_format(arena, "%s%s", join, next);
    }
    if (cut)
        line = arena_format(arena, "%s%s...", line, join);
    if (first)
        sheet_cell(&printer->sheet, "%*s%s", (int)(2 * level), "", line);
    else
        more_cells(printer, level, line);
}

static void others_print(struct printer *printer, uint32_t n, const struct groups *total,
                         const struct groups *beside, uint32_t level)
{
    printer->left_out += n;
    if (share_of(printer, total) < printer->options.min_share || !total->sum)
        return;
    share_cell(printer, total, context_total_share(printer->contexts, total, beside));
    if (is_of_calls(printer))
        sheet_cell(&printer->sheet, "%s", "");
    else
        amount_cell(printer, total);
    if (printer->contexts->options.form == CONTEXTS_TOP_DOWN)
        sheet_cell(&printer->sheet, "%s", "");
    if (printer->beside)
        sheet_cell(&printer->sheet, "%s", "");
    sheet_cell(&printer->sheet, "%*s(%" PRIu32 " others)", (int)(2 * level), "", n);
}

static void children_print(struct printer *printer, uint32_t i, uint32_t level)
{
    const struct calling_contexts *contexts = printer->contexts;
    bool roots = i == contexts->n;
    struct groups rest = {0}, beside = {0};
    uint32_t n_rest = 0;
    size_t shown = 0;
    for (uint32_t k = printer->first_child[i]; k < printer->first_child[i + 1]; k++) {
        uint32_t child = printer->order[k];
        bool limited = roots && contexts->options.form == CONTEXTS_BOTTOM_UP &&
                       shown == printer->options.limit;
        if (!is_shown(printer, child) || limited) {
            n_rest += contexts->at[child].total.sum > 0;
            groups_merge(&rest, contexts->at[child].total.groups);
            groups_merge(&beside, contexts->at[child].beside.groups);
            continue;
        }
        uint32_t tail = chain_end(printer, child);
        uint32_t below = printer->first_child[tail + 1] - printer->first_child[tail];
        bool cut = below && level + 1 >= printer->options.depth;
        chain_print(printer, child, tail, level, cut);
        shown++;
        if (!cut)
            children_print(printer, tail, level + 1);
        else
            printer->left_out += below;
    }
    others_print(printer, n_rest, &rest, &beside, level);
}

/* ---- a list */

static void list_print(struct printer *printer)
{
    const struct calling_contexts *contexts = printer->contexts;
    size_t shown = 0;
    for (uint32_t k = 0; k < contexts->n; k++) {
        const struct calling_context *context = &contexts->at[printer->order[k]];
        if (!is_shown(printer, printer->order[k]) || shown == printer->options.limit) {
            printer->left_out += context->total.sum > 0;
            continue;
        }
        share_cell(printer, context->self.groups, context_self_share(contexts, context));
        share_cell(printer, context->total.groups,
                   context_total_share(contexts, context->total.groups, context->beside.groups));
        amount_cell(printer, is_of_calls(printer) ? context->self.groups : context->total.groups);
        beside_cell(printer, context->beside.groups);
        sheet_cell(&printer->sheet, "%" PRIu32, context->callers);
        sheet_cell(&printer->sheet, "%s", label(printer, printer->order[k]));
        shown++;
    }
}

/* ---- all */

static void head_print(struct printer *printer)
{
    enum contexts_form form = printer->contexts->options.form;
    bool flat = form == CONTEXTS_FLAT, down = form == CONTEXTS_TOP_DOWN;
    const struct {
        bool there;
        const char *text;
    } columns[] = {
        {flat, "self"},
        {true, "total"},
        {true, printer->contexts->plain->profile->mode == PROFILE_EXACT ? "calls"
               : plain_counts_events(printer->contexts->plain->profile) ? "events"
                                                                        : "seconds"},
        {down, "self"},
        {printer->beside, printer->contexts->plain->filter.kernel ? "user" : "kernel"},
        {flat, "callers"},
        {flat, "function"},
        {down, "context: caller > callee"},
        {!flat && !down, "context: function < caller"},
    };
    enum { N = sizeof columns / sizeof *columns };
    size_t n = 0;
    for (size_t i = 0; i < N; i++)
        if (columns[i].there)
            printer->align[n++] = 'r';
    printer->align[n - 1] = 'l';
    sheet_begin(&printer->sheet, printer->align, printer->ink);
    for (size_t i = 0; i < N; i++)
        if (columns[i].there)
            sheet_cell(&printer->sheet, "%s", columns[i].text);
}

/* How well ticks are known. */
static void clock_print(const struct context_clock *clock, FILE *to)
{
    fprintf(to, "ticks: time in isolation, of stays timed alone, between fences");
    if (clock->brief)
        fprintf(
            to,
            "; the run was too short for its CPU time to tell what that adds, so nothing is known "
            "of short stays but the most that they take");
    else if (clock->look > 0)
        fprintf(to, ", %.2f times the CPU time; %.1f are taken off each", clock->raw, clock->look);
    else
        fprintf(to, ", %.2f times the CPU time; nothing is taken off%s", clock->raw,
                clock->raw > 1 ? ", since long stays alone have that much" : "");
    fprintf(to, "; intervals reach down to what overlapping with neighbours may save\n");
}

/* Why a tree of kernel time is empty, and what has one. */
static void no_kernel_print(const struct profile *profile, FILE *to)
{
    double seconds = (double)profile->totals.kernel_ns / 1e9;
    if (profile->mode == PROFILE_EXACT)
        fprintf(to, "exact runs do not sample the kernel; gait record without --exact does\n");
    else if (profile->mode == PROFILE_PLAIN)
        fprintf(to,
                "no sample was in the kernel: %.3f s of kernel time; gait record -F N takes more\n",
                seconds);
    else
        fprintf(to, "no sample of %.3f s of kernel time; gait record --plain takes more of them\n",
                seconds);
}

static const char *weighs_text(uint32_t group)
{
    uint32_t cost = 0;
    while (cost + 1 < MODEL_COSTS && model_cost_group(cost) != group)
        cost++;
    return model_cost_names[cost].text;
}

void contexts_text(FILE *to, const struct calling_contexts *contexts, const struct ink *ink,
                   struct contexts_text_options options)
{
    struct printer printer = {
        .contexts = contexts, .options = options, .ink = ink, .beside = contexts->beside.sum > 0};
    const struct plain *plain = contexts->plain;
    bool kernel = plain->filter.kernel;
    head_text(to, plain->scene, plain->side);
    fprintf(to, "calling contexts, %s, weighed by %s\n\n",
            contexts_form_name(contexts->options.form),
            contexts->options.weighs                ? weighs_text(contexts->options.weighs)
            : has_ticks(contexts)                   ? "ticks"
            : contexts_have_instructions(contexts)  ? "executed instructions"
            : plain->profile->mode == PROFILE_EXACT ? "calls"
            : plain_counts_events(plain->profile)   ? profile_fact_find(plain->profile, "event")
            : contexts->options.both                ? "CPU time, user and kernel"
            : kernel                                ? "kernel time"
                                                    : "user time");
    children_sort(&printer);
    head_print(&printer);
    if (contexts->options.form == CONTEXTS_FLAT)
        list_print(&printer);
    else
        children_print(&printer, (uint32_t)contexts->n, 0);
    if (plain->scene->columns && !plain->scene->verbose)
        sheet_squeeze(&printer.sheet, plain->scene->columns);
    sheet_end(&printer.sheet, to);
    if (has_ticks(contexts) && contexts->clock.over > 0)
        clock_print(&contexts->clock, to);
    if (printer.left_out)
        fprintf(to,
                "%" PRIu64
                " contexts not shown: lighter than %.4g %%, or beyond --depth or --limit\n",
                printer.left_out, 100 * options.min_share);
    if (kernel && !contexts->whole.sum)
        no_kernel_print(plain->profile, to);
    if (contexts->options.both)
        fprintf(to, "kernel: what of it was in the kernel%s\n",
                plain->beside_whole ? "" : ", which was not sampled");
    else if (printer.beside && !kernel && !contexts->whole.sum)
        fprintf(to, "all of it was seen in the kernel; --kernel shows its contexts\n");
    else if (printer.beside && !kernel)
        fprintf(to, "kernel time is beside, never part of the rest; --kernel shows its contexts\n");
    losses_text(to, plain->scene, plain->side, 0);
    mem_free(printer.order);
    mem_free(printer.first_child);
}
