#include "view/advice.h"

#include "base/quote.h"
#include "view/ink.h"
#include "view/missing.h"
#include "view/report.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

struct adviser {
    FILE *to;
    const struct report *report;
    const struct ink *ink;
    int said;
};

/* ---- words */

static const char *quoted(const struct report *report, const char *word)
{
    return quote_word(&report->scene->arena, word);
}

/* A sentence, then ": gait COMMAND" with the file behind it if it is not the usual one. The command is
 * all behind the last '|' of the sentence. */
__attribute__((format(printf, 2, 3))) static void advise(struct adviser *adviser,
                                                         const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (char *at = text; *at; at++)
        if ((unsigned char)*at < ' ' || *at == 0x7F)
            *at = '?';
    if (!adviser->said++)
        fprintf(adviser->to, "\n%swhat to look at first%s\n", ink_begin(adviser->ink, INK_HEAD),
                ink_end(adviser->ink, INK_HEAD));
    char *command = strrchr(text, '|');
    const char *input = adviser->report->input;
    bool usual = !input || strcmp(input, "gait.data") == 0;
    if (!command) {
        fprintf(adviser->to, "- %s\n", text);
        return;
    }
    *command++ = 0;
    fprintf(adviser->to, "- %s:\n      %s%s%s%s%s\n", text, ink_begin(adviser->ink, INK_NAME),
            command, usual ? "" : " -i ", usual ? "" : quoted(adviser->report, input),
            ink_end(adviser->ink, INK_NAME));
}

/* "12 % (10 to 14)" of a share; two alternating buffers. */
static const char *share_text(struct estimate share)
{
    static char buffers[2][64];
    static unsigned turn;
    char *text = buffers[turn++ % 2];
    double value = 100 * share.value, lo = 100 * share.lo, hi = 100 * share.hi;
    int digits = value < 10 ? 1 : 0;
    if (share.lo == share.hi)
        snprintf(text, sizeof *buffers, "%.*f %%", digits, value);
    else
        snprintf(text, sizeof *buffers, "%.*f %% (%.*f to %.*f)", digits, value, digits, lo, digits,
                 hi);
    return text;
}

static const char *weight_text(const struct report *report)
{
    if (report->has_plain && report->weight == WEIGHT_COUNT)
        return profile_fact_find(report->scene->sides[0], "event");
    if (report->has_plain && report->plain.filter.kernel)
        return "kernel time";
    return report->weight == WEIGHT_TIME ? "user time" : "all instructions";
}

static const char *name_of(const struct report *report, const struct report_row *row)
{
    return name_text(report->scene, row->name);
}

/* ---- what stands out */

static bool has_annotation(const struct report *report, const struct report_row *row)
{
    return row->module < report->scene->modules.n &&
           report->scene->modules.at[row->module].binary && row->function != FUNCTION_NONE;
}

/* The next row that can be named, from i on. */
static const struct report_row *row_known(const struct report *report, size_t *i)
{
    while (*i < report->n && report->by == BY_LINE && !report->at[*i].file)
        ++*i;
    return *i < report->n ? &report->at[*i] : NULL;
}

/* A name that annotate takes for this function and no other. */
static const char *code_text(const struct report *report, const struct report_row *row)
{
    struct scene *scene = report->scene;
    const char *name = scene_function_name(scene, row->module, row->function);
    const struct functions *functions = &scene->modules.at[row->module].binary->symbols.functions;
    uint64_t start = functions->at[row->function].start.v;
    return quoted(report, *name == '[' ? address_text(scene, row->module, start) : name);
}

/* The first of them is hottest only if it is beyond what chance makes of the second. */
static void advise_hottest(struct adviser *adviser)
{
    const struct report *report = adviser->report;
    size_t i = 0;
    if (report->by != BY_FUNCTION && report->by != BY_LINE)
        return;
    const struct report_row *first = row_known(report, &i), *next;
    if (!first)
        return;
    struct estimate share = report_share(report, first), second = {0};
    if ((i++, next = row_known(report, &i)))
        second = report_share(report, next);
    if (!(share.lo > 0.01))
        return;
    bool alone = share.lo > second.hi, line = report->by == BY_LINE;
    bool can = has_annotation(report, first);
    const char *what = name_of(report, first);
    if (line)
        what = arena_format(&report->scene->arena, "line %u of %s (in %s)", first->line,
                            first->file, what);
    advise(adviser, "%s is %s%s%s: %s of %s%s%s", what,
           alone ? "the hottest " : "among the hottest ", line ? "line" : "function",
           alone ? "" : "s", share_text(share), weight_text(report), can ? "|gait annotate " : "",
           can ? code_text(report, first) : "");
}

/* Time far above the share of instructions: waiting, not working. */
static void advise_stalls(struct adviser *adviser)
{
    const struct report *report = adviser->report;
    const struct profile *profile = report->scene->sides[0];
    if (profile->mode != PROFILE_SAMPLED || report->by != BY_FUNCTION)
        return;
    int said = 0;
    for (size_t i = 0; i < report->n && said < 2; i++) {
        const struct report_row *row = &report->at[i];
        struct estimate time = estimate_share(profile, &row->body, true);
        struct estimate count = estimate_share(profile, &row->body, false);
        if (!(time.lo > 0.03) || !(time.lo > 1.5 * count.hi))
            continue;
        said++;
        advise(adviser,
               "%s takes %s of the time with %s of the instructions, %.1f ticks each: it waits for "
               "something|gait report --by instruction --weight time --function %s",
               name_of(report, row), share_text(time), share_text(count), report_cpi(report, row),
               quoted(report, row->name));
    }
}

/* ---- who calls it */

/* Weight of the function's outermost frames by who called them. */
static void callers_add(const struct plain *plain, uint32_t function, struct groups *callers,
                        struct groups *all)
{
    const struct stacks *stacks = &plain->profile->stacks;
    for (uint32_t i = 0; i < stacks->cells.n; i++) {
        const struct stack_cell *cell = map_key(&stacks->cells, i);
        uint32_t caller = PLAIN_NONE;
        bool found = false;
        if (!(plain->flags[cell->node] & PLAIN_KEPT) ||
            plain->filter.kernel != !!(plain->flags[cell->node] & PLAIN_KERNEL))
            continue;
        for (uint32_t node = cell->node; plain->parent_of[node] != STACK_NONE;
             node = plain->parent_of[node])
            if (plain->function_of[node] == function) {
                caller = plain->function_of[plain->parent_of[node]];
                found = true;
            }
        if (!found)
            continue;
        groups_add(all, cell->group, stacks->weights.at[i]);
        if (caller != PLAIN_NONE)
            groups_add(&callers[caller], cell->group, stacks->weights.at[i]);
    }
}

/* One caller that stands behind nearly all of a hot function, which has more than one. */
static void advise_caller(struct adviser *adviser)
{
    const struct report *report = adviser->report;
    if (!report->has_plain || report->by != BY_FUNCTION || !report->n)
        return;
    const struct plain *plain = &report->plain;
    const struct report_row *hot = &report->at[0];
    if (!(report_share(report, hot).lo > 0.05))
        return;
    struct groups *callers = mem_alloc((plain->functions.n + 1) * sizeof *callers), all = {0};
    callers_add(plain, hot->plain->function, callers, &all);
    size_t most = 0, n = 0;
    for (size_t i = 0; i < plain->functions.n; i++) {
        n += callers[i].sum > 0;
        if (callers[i].sum > callers[most].sum)
            most = i;
    }
    struct estimate share = groups_share(&callers[most], &all, plain->sample_weight);
    if (n > 1 && share.lo > 0.8)
        advise(adviser, "of the time in %s and below, %s is for %s|gait contexts --function %s",
               name_of(report, hot), share_text(share),
               name_text(report->scene, plain->functions.at[most].name), quoted(report, hot->name));
    mem_free(callers);
}

struct caller {
    uint32_t module;
    function_id function;
    struct tally calls;
};
struct callers {
    VEC(struct caller);
};

static void callers_count(const struct report *report, const struct report_row *hot,
                          struct callers *callers, struct tally *all)
{
    const struct scene *scene = report->scene;
    struct items items;
    items_list(&items, scene, BY_CALL);
    for (size_t i = 0; i < items.n; i++) {
        const struct item *item = &items.at[i];
        if (item->to_module != hot->module || item->to != hot->at)
            continue;
        struct caller *last = callers->n ? &callers->at[callers->n - 1] : NULL;
        if (!last || last->module != item->module || last->function != item->function) {
            last = vec_push(callers); /* items stand by module and function */
            last->module = item->module;
            last->function = item->function;
        }
        tally_add(&last->calls, &item->count[0]);
        tally_add(all, &item->count[0]);
    }
    items_release(&items);
}

/* The same of what was walked: by calls, since stacks are not known. */
static void advise_calls(struct adviser *adviser)
{
    const struct report *report = adviser->report;
    struct scene *scene = report->scene;
    bool filtered = scene->only_module || scene->only_function;
    if (report->has_plain || report->by != BY_FUNCTION || !report->n || filtered ||
        report->at[0].function == FUNCTION_NONE)
        return;
    const struct report_row *hot = &report->at[0];
    struct callers callers = {0};
    struct tally all = {0};
    callers_count(report, hot, &callers, &all);
    const struct caller *most = NULL;
    for (size_t i = 0; i < callers.n; i++)
        if (!most || callers.at[i].calls.count > most->calls.count)
            most = &callers.at[i];
    if (most && callers.n > 1) {
        struct tally rest = all;
        tally_subtract(&rest, &most->calls);
        const char *name = scene_function_name(scene, most->module, most->function);
        struct estimate share = estimate_part(scene->sides[0], &most->calls, &rest);
        if (share.lo > 0.8)
            advise(adviser,
                   "of the calls of %s, %s come from %s|gait report --by call --function %s",
                   name_of(report, hot), share_text(share), name_text(scene, name),
                   quoted(report, name));
    }
    vec_release(&callers);
}

/* The function that most time is spent below, if it is not simply where everything starts. */
static void advise_below(struct adviser *adviser)
{
    const struct report *report = adviser->report;
    const struct report_row *most = NULL;
    if (!report->has_plain || report->by != BY_FUNCTION)
        return;
    for (size_t i = 0; i < report->n; i++) {
        const struct report_row *row = &report->at[i];
        const struct groups *total = &row->plain->total;
        bool mostly_below = row->plain->self.sum < total->sum / 2;
        if (mostly_below && plain_share(&report->plain, total).hi < 0.8 &&
            (!most || total->sum > most->plain->total.sum))
            most = row;
    }
    struct estimate share = most ? report_total_share(report, most) : (struct estimate){0};
    if (share.lo > 0.2)
        advise(adviser, "%s of %s is in %s and what it calls|gait contexts --function %s",
               share_text(share), weight_text(report), name_of(report, most),
               quoted(report, most->name));
}

/* ---- what is beside it, and what is missing */

static void advise_kernel(struct adviser *adviser)
{
    const struct report *report = adviser->report;
    const struct totals *totals = &report->scene->sides[0]->totals;
    double user = (double)totals->user_ns / 1e9, kernel = (double)totals->kernel_ns / 1e9;
    double off = (double)totals->off_ns / 1e9;
    bool in_kernel = report->has_plain && report->plain.filter.kernel;
    if (user + kernel < 0.1)
        return; /* starting up is all that it did */
    if (kernel > 0.2 * (user + kernel) && !in_kernel)
        advise(adviser,
               "%.0f %% of the CPU time is the kernel's (%.2f s), and not in the rows above%s",
               100 * kernel / (user + kernel), kernel,
               report->has_plain ? "|gait report --module '[kernel]'" : "");
    if (off > user + kernel)
        advise(adviser,
               "threads were off the CPU for %.2f s and on it for %.2f s: most of the run is "
               "waiting, or waiting for a CPU|gait info",
               off, user + kernel);
}

static void advise_losses(struct adviser *adviser)
{
    const struct profile *profile = adviser->report->scene->sides[0];
    const struct totals *totals = &profile->totals;
    double lost = (double)totals->losses[LOSS_dropped], seen = (double)totals->interrupts;
    if (profile->mode != PROFILE_EXACT && lost > 0.05 * (lost + seen))
        advise(adviser,
               "%.0f %% of the samples were lost on the way to the file: record with a lower "
               "rate|gait info",
               100 * lost / (lost + seen));
    if (profile->mode == PROFILE_SAMPLED && seen > 0 && (double)totals->windows < 0.5 * seen)
        advise(adviser,
               "only %.0f %% of the interrupts led to a whole walk; the figures stand for those"
               "|gait info",
               100 * (double)totals->windows / seen);
    if (profile->mode == PROFILE_EXACT && !profile_whole(profile))
        advise(adviser, "not all of the run was counted|gait info");
    double unnamed = missing_share(adviser->report);
    if (unnamed > 0.1)
        advise(adviser,
               "%.0f %% is in code without names or lines: see the list above for where they "
               "could come from",
               100 * unnamed);
}

static void advise_few(struct adviser *adviser)
{
    const struct profile *profile = adviser->report->scene->sides[0];
    const struct totals *totals = &profile->totals;
    if (profile->mode == PROFILE_PLAIN && totals->interrupts < 300)
        advise(adviser,
               "%lu samples are few: a share of 10 %% is known to ±%.0f %%; record for longer, or "
               "more "
               "often with -F",
               totals->interrupts,
               totals->interrupts ? 100 * (binomial_share(0.1 * (double)totals->interrupts,
                                                          (double)totals->interrupts)
                                               .hi -
                                           0.1)
                                  : 100.0);
    if (profile->mode == PROFILE_SAMPLED && totals->batches < 8)
        advise(adviser, "%lu batches of walks are few, and intervals wide; record for longer",
               totals->batches);
}

void advice_text(FILE *to, const struct report *report, const struct ink *ink)
{
    struct adviser adviser = {.to = to, .report = report, .ink = ink};
    advise_hottest(&adviser);
    advise_stalls(&adviser);
    advise_caller(&adviser);
    advise_calls(&adviser);
    advise_below(&adviser);
    advise_kernel(&adviser);
    advise_losses(&adviser);
    advise_few(&adviser);
}
