#include "lab/events/event_blocks.h"
#include "lab/events/event_overlap.h"
#include "lab/events/events.h"

static const char *holds(bool it)
{
    return it ? "holds" : "does not hold";
}

static bool all_check(const struct lab_recording *all, size_t n, struct err *err)
{
    for (size_t i = 0; i < n; i++)
        if (!event_blocks_check(&all[i], err))
            return false;
    return true;
}

static void mean_row(struct lab_rows *rows, const double *sums, size_t columns, size_t n)
{
    struct lab_row *row = lab_row_add(rows);
    lab_text(row, "mean");
    for (size_t i = 0; i < columns; i++)
        lab_cell(row, "%.1f%%", 100 * sums[i] / (double)n);
}

/* ---- Figure 3 */

enum { STATIC, LEVIN, PLAIN, CLASSES, CHOSEN, REGRESSED, PERFECT, SOURCE, FUNCTIONS, BARS };

/* All programs, for regressions and choices on the others. */
struct programs {
    size_t n;
    struct event_program *at;
    double (*bars)[BARS];
    double *rules; /* CLASS_RULES of each: overlaps by that rule for classes */
};

static void programs_open(struct programs *programs, const struct lab_recording *all, size_t n)
{
    *programs =
        (struct programs){.n = n,
                          .at = mem_alloc(n * sizeof *programs->at + 1),
                          .bars = mem_alloc(n * sizeof *programs->bars + 1),
                          .rules = mem_alloc(n * CLASS_RULES * sizeof *programs->rules + 1)};
    for (size_t i = 0; i < n; i++)
        event_program_read(&programs->at[i], &all[i]);
}

static void programs_close(struct programs *programs)
{
    for (size_t i = 0; i < programs->n; i++)
        event_program_release(&programs->at[i]);
    mem_free(programs->at);
    mem_free(programs->bars);
    mem_free(programs->rules);
}

/* By the weights that the others have; a program alone has its own. */
static void bars_regressed(struct event_twins *twins, const struct lab_recording *recording,
                           const struct programs *programs, size_t own)
{
    struct event_places *places = event_places_open(recording);
    struct event_regression regression = {places, &programs->at[own], {0}};
    event_weights_train(programs->at, programs->n, programs->n > 1 ? own : programs->n,
                        regression.weights);
    programs->bars[own][REGRESSED] = event_twins_regressed(twins, &regression);
    for (size_t i = 0; i < CLASS_RULES; i++)
        programs->rules[own * CLASS_RULES + i] =
            event_twins_classified(twins, &regression, &class_rule_list[i]);
    event_places_close(places);
}

static bool bars_one(const struct lab_recording *recording, const struct programs *programs,
                     size_t own, struct err *err)
{
    static const struct {
        int bar;
        enum infer_method method;
    } methods[] = {{STATIC, INFER_STATIC},
                   {LEVIN, INFER_LEVIN},
                   {PLAIN, INFER_CONFIDENCE},
                   {CLASSES, INFER_CLASSES},
                   {PERFECT, INFER_PERFECT}};
    double *bars = programs->bars[own];
    struct event_twins *twins = event_twins_open(recording, event_rows[0].name, err);
    if (!twins)
        return false;
    bars_regressed(twins, recording, programs, own);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        bool source = methods[i].bar == CLASSES;
        struct event_overlap overlap = event_twins_overlap(twins, methods[i].method, source);
        bars[methods[i].bar] = overlap.edges;
        if (!source)
            continue;
        bars[SOURCE] = overlap.source;
        bars[FUNCTIONS] = overlap.functions;
    }
    event_twins_close(twins);
    return true;
}

static void bars_claim(struct lab_rows *rows, const double *sums, double n)
{
    double bars[BARS];
    for (int i = 0; i < BARS; i++)
        bars[i] = 100 * sums[i] / n;
    lab_claim(rows, "flow is worth 17.8 points over static heuristics: %+.1f: %s",
              bars[LEVIN] - bars[STATIC], holds(bars[LEVIN] - bars[STATIC] > 5));
    lab_claim(rows,
              "classes by several events are worth 5.5 points more: %+.1f, of which classes "
              "themselves %+.1f and our costs the rest: %s",
              bars[CLASSES] - bars[LEVIN], bars[CLASSES] - bars[PLAIN],
              holds(bars[CLASSES] - bars[PLAIN] > 1));
    lab_claim(rows, "each step is up: static, flow, classes, perfect classes: %s",
              holds(bars[STATIC] < bars[LEVIN] && bars[LEVIN] < bars[CLASSES] &&
                    bars[CLASSES] < bars[PERFECT]));
    lab_claim(rows, "they are 2.3 points below perfect classes (bar: at most 3): %.1f: %s",
              bars[PERFECT] - bars[CLASSES],
              holds(bars[PERFECT] >= bars[CLASSES] && bars[PERFECT] - bars[CLASSES] <= 3));
    lab_claim(rows,
              "classes by rules chosen on the other programs: %+.1f over our flow, %.1f points "
              "below perfect classes (bar: at most 3): %s",
              bars[CHOSEN] - bars[PLAIN], bars[PERFECT] - bars[CHOSEN],
              holds(bars[CHOSEN] > bars[PLAIN] && bars[PERFECT] - bars[CHOSEN] <= 3));
    lab_claim(rows,
              "all events by a regression on the other programs instead of classes: %.1f points "
              "below perfect classes",
              bars[PERFECT] - bars[REGRESSED]);
    lab_claim(rows, "source lines cost 4.6 points: %.1f: %s", bars[CLASSES] - bars[SOURCE],
              holds(bars[CLASSES] > bars[SOURCE] && bars[CLASSES] - bars[SOURCE] < 10));
    lab_claim(
        rows,
        "functions overlap by 91.7 %%, which edges within functions cannot exceed: %.1f %%: %s",
        bars[FUNCTIONS], holds(bars[FUNCTIONS] > bars[PERFECT]));
}

static void bars_put(struct lab_rows *rows, const struct programs *programs,
                     const struct lab_recording *all)
{
    double sums[BARS] = {0};
    for (size_t i = 0; i < programs->n; i++) {
        double *bars = programs->bars[i];
        struct lab_row *row = lab_row_add(rows);
        lab_text(row, lab_file_name(all[i].file));
        size_t rule = class_rule_choose(programs->rules, programs->n, i);
        bars[CHOSEN] = programs->rules[i * CLASS_RULES + rule];
        for (int b = 0; b < BARS; b++) {
            lab_cell(row, "%.1f%%", 100 * bars[b]);
            sums[b] += bars[b];
        }
    }
    mean_row(rows, sums, BARS, programs->n);
    bars_claim(rows, sums, (double)programs->n);
}

static bool bars_fill(struct lab_rows *rows, const struct lab_recording *all, size_t n,
                      struct err *err)
{
    struct programs programs;
    if (!all_check(all, n, err))
        return false;
    programs_open(&programs, all, n);
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++)
        ok = bars_one(&all[i], &programs, i, err);
    if (ok)
        bars_put(rows, &programs, all);
    programs_close(&programs);
    return ok;
}

const struct lab_table lab_events_bars = {
    .name = "events-figure-3",
    .title = "overlap of edges with exact counts, from samples of retired instructions",
    .columns = (const char *const[]){"", "static", "flow (Levin)", "flow (ours)", "classes",
                                     "chosen classes", "all events", "perfect classes",
                                     "by source lines", "functions", NULL},
    .recordings = bars_fill,
};

/* ---- the primary event */

enum { RANDOM, PRECISE, CYCLES, PRIMARIES };

static bool primary_one(const struct lab_recording *recording, double *overlaps, struct err *err)
{
    static const int rows[PRIMARIES] = {0, 1, 4};
    for (int i = 0; i < PRIMARIES; i++) {
        struct event_twins *twins = event_twins_open(recording, event_rows[rows[i]].name, err);
        if (!twins)
            return false;
        overlaps[i] = event_twins_overlap(twins, INFER_LEVIN, false).edges;
        event_twins_close(twins);
    }
    return true;
}

static bool primary_fill(struct lab_rows *rows, const struct lab_recording *all, size_t n,
                         struct err *err)
{
    double sums[PRIMARIES] = {0};
    if (!all_check(all, n, err))
        return false;
    for (size_t i = 0; i < n; i++) {
        double overlaps[PRIMARIES];
        if (!primary_one(&all[i], overlaps, err))
            return false;
        struct lab_row *row = lab_row_add(rows);
        lab_text(row, lab_file_name(all[i].file));
        for (int b = 0; b < PRIMARIES; b++) {
            lab_cell(row, "%.1f%%", 100 * overlaps[b]);
            sums[b] += overlaps[b];
        }
    }
    mean_row(rows, sums, PRIMARIES, n);
    for (int b = 0; b < PRIMARIES; b++)
        sums[b] *= 100 / (double)n;
    lab_claim(rows, "retired instructions with random periods are best, 75.1 %%: %.1f %%: %s",
              sums[RANDOM], holds(sums[RANDOM] > sums[PRECISE] && sums[RANDOM] > sums[CYCLES]));
    lab_claim(rows, "precise ones are slightly worse, 74.2 %%: %.1f %%: %s", sums[PRECISE],
              holds(sums[PRECISE] < sums[RANDOM] && sums[PRECISE] > sums[RANDOM] - 3));
    lab_claim(rows, "cycles are worst, 72.6 %%: %.1f %%: %s", sums[CYCLES],
              holds(sums[CYCLES] < sums[RANDOM] && sums[CYCLES] < sums[PRECISE]));
    return true;
}

const struct lab_table lab_events_primary = {
    .name = "events-primary",
    .title = "overlap of edges with exact counts, by the sampled event; flow by Levin's costs",
    .columns = (const char *const[]){"", "INST_RETIRED, random", "INST_RETIRED, PEBS",
                                     "CPU_CLK_UNHALTED, random", NULL},
    .recordings = primary_fill,
};
