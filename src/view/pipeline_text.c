#include "view/views.h"

#include "analysis/pipeline/pipeline.h"

#include "program/insn/assembly.h"
#include "program/binary.h"
#include "records/sample.h"
#include "view/head.h"
#include "text/ink.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static size_t metric_at(const struct ledger *ledger, const char *name)
{
    size_t i = 0;
    while (i < ledger->metrics.n && strcmp(ledger->metrics.at[i].metric->name, name) != 0)
        i++;
    return i;
}

static const struct metric_sum *sum_of(const struct ledger *ledger, const struct ledger_row *row,
                                       const char *name)
{
    size_t i = metric_at(ledger, name);
    return row && i < ledger->metrics.n && row->sums[i].n ? &row->sums[i] : NULL;
}

/* "name 12.3 ±0.4", in cycles. */
static void mean_print(FILE *to, const char *name, const struct metric_sum *sum)
{
    struct metric_estimate mean = metric_mean(sum);
    fprintf(to, "  %s %.1f", name, mean.value);
    if (isfinite(mean.lo))
        fprintf(to, " ±%.1f", mean.hi - mean.value);
}

static void stages_print(FILE *to, const struct ledger *ledger, const struct ledger_row *row)
{
    static const char *const stages[] = {"fetch_to_map",   "map_to_ready",  "ready_to_issue",
                                         "map_to_issue",   "issue_to_done", "map_to_done",
                                         "done_to_retire", "memory",        "miss",
                                         "translate",      "fetching",      "retire_gap"};
    bool any = false;
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
        const struct metric_sum *sum = sum_of(ledger, row, stages[i]);
        if (!sum)
            continue;
        if (!any)
            fprintf(to, "      cycles:");
        any = true;
        mean_print(to, stages[i], sum);
    }
    if (any)
        fputc('\n', to);
}

/* How many of those that would have told. */
static void events_print(FILE *to, const struct ledger *ledger, const struct ledger_row *row)
{
    static const char *const events[] = {"aborted",   "l1_misses",   "l2_misses", "l3_misses",
                                         "tlb_walks", "mispredicts", "l1i_misses"};
    bool any = false;
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        const struct metric_sum *sum = sum_of(ledger, row, events[i]);
        if (!sum || !(sum->wx > 0))
            continue;
        if (!any)
            fprintf(to, "      of 100:");
        any = true;
        struct metric_estimate mean = metric_mean(sum);
        fprintf(to, "  %s %.1f", events[i], 100 * mean.value);
        if (isfinite(mean.lo))
            fprintf(to, " ±%.1f", 100 * (mean.hi - mean.value));
    }
    if (any)
        fputc('\n', to);
}

static void total_print(FILE *to, const char *what, const char *unit, const struct metric_sum *sum)
{
    if (!sum)
        return;
    struct metric_estimate total = metric_total(sum);
    fprintf(to, "      %s %s %s [%s, %s]\n", what, count_text(total.value, false), unit,
            count_text(total.lo, false), count_text(total.hi, false));
}

static void pairs_print(FILE *to, const struct pipeline *pipeline, const struct ledger_row *row)
{
    const struct ledger *ledger = &pipeline->pairs;
    static const char *const means[] = {"concurrency", "concurrency_hit", "concurrency_miss",
                                        "ipc_near"};
    const struct metric_sum *wasted = sum_of(ledger, row, "wasted_slots");
    if (!wasted)
        return;
    if (pipeline->by == PIPELINE_EDGE)
        total_print(to, "followed", "times", sum_of(ledger, row, "followed"));
    if (pipeline->by == PIPELINE_UNIT)
        total_print(to, "beside it", "useful instructions", sum_of(ledger, row, "overlap"));
    if (pipeline->of_others)
        return;
    struct metric_estimate slots = metric_total(wasted);
    fprintf(to, "      wasted slots %s [%s, %s]", count_text(slots.value, false),
            count_text(slots.lo, false), count_text(slots.hi, false));
    for (size_t i = 0; i < sizeof means / sizeof *means; i++) {
        const struct metric_sum *sum = sum_of(ledger, row, means[i]);
        if (sum)
            mean_print(to, means[i], sum);
    }
    fputc('\n', to);
}

static void place_print(FILE *to, struct pipeline *pipeline, const uint64_t *key,
                        const struct ink *ink)
{
    struct scene *scene = pipeline->scene;
    uint32_t module = scene_module(scene, 0, (uint32_t)key[0]);
    const struct binary *binary = scene_binary(scene, module);
    function_id function = scene_function_at(scene, module, key[1]);
    char assembly[128] = "";
    if (binary)
        assembly_text(&binary->image, (struct svma){key[1]}, ASSEMBLY_ATT, NULL, NULL, assembly,
                      sizeof assembly);
    fprintf(to, "%s%s%s  %s  %s  %s\n", ink_begin(ink, INK_NAME),
            name_text(scene, scene_function_name(scene, module, function)), ink_end(ink, INK_NAME),
            line_text(scene, module, key[1]), address_text(scene, module, key[1]),
            sample_origin_name((enum sample_origin)key[2]));
    if (*assembly)
        fprintf(to, "      %s%s%s\n", ink_begin(ink, INK_SOURCE), assembly,
                ink_end(ink, INK_SOURCE));
}

static void key_print(FILE *to, struct pipeline *pipeline, const uint64_t *key,
                      const struct ink *ink)
{
    const char *name = NULL;
    switch (pipeline->by) {
    case PIPELINE_PLACE: place_print(to, pipeline, key, ink); break;
    case PIPELINE_PAGE: fprintf(to, "page 0x%" PRIx64 "\n", key[0] * 4096); break;
    case PIPELINE_LINE: fprintf(to, "line 0x%" PRIx64 "\n", key[0] * 64); break;
    case PIPELINE_OBJECT:
        if (key[1])
            name = pipeline_object_name(pipeline, (uint32_t)key[0], key[1]);
        fprintf(to, "%s%s%s  %s\n", ink_begin(ink, INK_NAME), name ? name : "(no variable)",
                ink_end(ink, INK_NAME), pipeline->scene->sides[0]->modules.at[key[0]].path);
        break;
    case PIPELINE_EDGE:
        fprintf(to, "%s -> ", pipeline_place_text(pipeline, key[0], key[1]));
        fprintf(to, "%s\n", pipeline_place_text(pipeline, key[2], key[3]));
        break;
    case PIPELINE_UNIT:
        fprintf(to, "%s, beside it unit %llu\n", pipeline_place_text(pipeline, key[0], key[1]),
                (unsigned long long)key[3]);
        break;
    case PIPELINE_ALL: fprintf(to, "all\n"); break;
    }
}

static void row_print(FILE *to, struct pipeline *pipeline, uint32_t index, double total,
                      const struct ink *ink)
{
    const struct ledger_row *row = &pipeline->alone.at[index];
    const struct ledger_row *asked = pipeline_row(pipeline, &pipeline->asked, index);
    fprintf(to, "%6.2f%%  %" PRIu64 " records  ", total > 0 ? 100 * row->weight / total : 0,
            row->sums[0].n);
    key_print(to, pipeline, ledger_key(&pipeline->alone, index), ink);
    stages_print(to, &pipeline->alone, row);
    events_print(to, &pipeline->alone, row);
    pairs_print(to, pipeline, pipeline_row(pipeline, &pipeline->pairs, index));
    if (pipeline->own[0].name && asked && asked->sums[0].n) {
        fprintf(to, "     ");
        mean_print(to, pipeline->own[0].value, &asked->sums[0]);
        fputc('\n', to);
    }
}

/* Why a record has no row, by what rows are. */
static const char *keyless_why(enum pipeline_by by)
{
    switch (by) {
    case PIPELINE_PAGE:
    case PIPELINE_LINE:
    case PIPELINE_OBJECT: return "they loaded and stored nothing, or do not tell where";
    case PIPELINE_EDGE:
    case PIPELINE_UNIT: return "the other of their pair is not known, or was not issued";
    default: return "they do not tell what they belong to";
    }
}

void pipeline_text(FILE *to, struct pipeline *pipeline, const struct ink *ink, size_t limit)
{
    double total = pipeline->alone.others.weight;
    size_t shown = 0;
    head_text(to, pipeline->scene, 0);
    fprintf(to, "%" PRIu64 " records", pipeline->records);
    for (int i = 0; i < ORIGINS; i++)
        if (pipeline->origins[i])
            fprintf(to, ", %" PRIu64 " of %s", pipeline->origins[i],
                    sample_origin_name((enum sample_origin)i));
    fprintf(to, "; cycles and shares with their 95 %% intervals\n");
    if (pipeline->core)
        fprintf(to, "of windows through a model of %s%s%s\n", pipeline->core,
                *pipeline->core_why ? "; the core: " : "", pipeline->core_why);
    if (pipeline->where)
        fprintf(to, "only those of which this holds: %s\n", pipeline->where);
    fputc('\n', to);
    for (size_t i = 0; i < pipeline->alone.n; i++)
        total += pipeline->alone.at[i].weight;
    for (; shown < pipeline->alone.n && shown < limit; shown++)
        row_print(to, pipeline, pipeline->ranking[shown], total, ink);
    shown_text(to, shown, pipeline->alone.n, "rows");
    if (pipeline->alone.left_out)
        fprintf(to, "%" PRIu64 " records are left out: %s\n", pipeline->alone.left_out,
                pipeline->by == PIPELINE_EDGE ? "the other of their pair did not retire right "
                                                "behind them, or --where does not hold"
                                              : "--where does not hold of them, or is not known");
    if (pipeline->alone.keyless)
        fprintf(to, "%" PRIu64 " records are in no row: %s\n", pipeline->alone.keyless,
                keyless_why(pipeline->by));
    if (pipeline->alone.others.weight > 0)
        fprintf(to, "%.2f%% is in rows that were too light to be kept\n",
                100 * pipeline->alone.others.weight / total);
    losses_text(to, pipeline->scene, 0, 0);
}
