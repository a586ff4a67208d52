#include "lab/pipeline/units.h"

#include "base/err.h"
#include "lab/pipeline/modelled_run.h"
#include "model/pmu/profileme.h"
#include "model/replay/replay.h"

/* Samples are dense, so that tags are short; costs are of a usual rate. What an interrupt costs,
 * and reading a record then, in cycles, is given, not measured. */
enum { INTERVAL = 100, USUAL = 65536, INTERRUPT_CYCLES = 2000, RECORD_CYCLES = 100 };

static const struct knobs {
    uint32_t group, tags, buffer;
} knobs[] = {{1, 16, 1}, {1, 16, 4}, {1, 16, 16}, {1, 16, 64}, {1, 16, 256},
             {1, 1, 16}, {1, 4, 16}, {2, 2, 16},  {2, 4, 16},  {2, 16, 16},
             {4, 4, 16}, {4, 8, 16}, {4, 16, 16}, {4, 64, 16}, {8, 64, 16}};
enum { UNITS = sizeof knobs / sizeof *knobs };

struct watch {
    struct profileme *units[UNITS];
    uint64_t records[UNITS];
    uint64_t cycles, fetched;
};

static void records_take(void *context, const struct sample *samples, size_t n)
{
    uint64_t *records = context;
    (void)samples;
    *records += n;
}

static void watch_begin(void *context, struct replay *replay)
{
    struct watch *watch = context;
    for (uint32_t i = 0; i < UNITS; i++) {
        struct profileme_setup setup = {
            .interval = INTERVAL,
            .window = knobs[i].group > 1 ? profileme_window(replay->code->model) : 0,
            .group = knobs[i].group,
            .tags = knobs[i].tags,
            .buffer = knobs[i].buffer,
            .seed = 1};
        watch->units[i] = profileme_make(&setup, records_take, &watch->records[i]);
    }
}

static void watch_see(void *context, const struct pmu_step *step)
{
    struct watch *watch = context;
    for (uint32_t i = 0; i < UNITS; i++)
        profileme_see(watch->units[i], step);
    if (!step->aborted)
        watch->cycles = step->times->retire;
    watch->fetched++;
}

static void watch_gap(void *context)
{
    struct watch *watch = context;
    for (uint32_t i = 0; i < UNITS; i++)
        profileme_gap(watch->units[i]);
}

/* Cycles a sample. */
static double cost(const struct watch *watch, uint32_t i)
{
    const struct profileme_counts *counts = profileme_counts(watch->units[i]);
    return ((double)counts->interrupts * INTERRUPT_CYCLES +
            (double)watch->records[i] * RECORD_CYCLES) /
           (double)counts->delivered;
}

/* Percent, if one in USUAL instructions is chosen. */
static double overhead(const struct watch *watch, uint32_t i)
{
    return 100 * cost(watch, i) * (double)watch->fetched / USUAL / (double)watch->cycles;
}

static void unit_show(struct lab_rows *rows, const struct watch *watch, uint32_t i)
{
    const struct profileme_counts *counts = profileme_counts(watch->units[i]);
    struct lab_row *row = lab_row_add(rows);
    lab_cell(row, "%u", knobs[i].group);
    lab_cell(row, "%u", knobs[i].tags);
    lab_cell(row, "%u", knobs[i].buffer);
    lab_cell(row, "%llu", (unsigned long long)counts->chosen);
    lab_share(row, (double)counts->collided, (double)counts->chosen);
    lab_cell(row, "%llu", (unsigned long long)counts->delivered);
    lab_cell(row, "%llu", (unsigned long long)watch->records[i]);
    lab_cell(row, "%llu", (unsigned long long)counts->interrupts);
    lab_cell(row, "%.1f", cost(watch, i));
    lab_cell(row, "%.3f", overhead(watch, i));
}

static bool units_fill(struct lab_rows *rows, const struct modelled_run *run, struct err *err)
{
    struct watch watch = {0};
    struct modelled_watch listen = {watch_begin, watch_see, watch_gap, NULL, &watch};
    bool good = modelled_run_watch(run, &listen, err);
    for (uint32_t i = 0; i < UNITS && watch.units[i]; i++) {
        profileme_finish(watch.units[i]);
        if (good)
            unit_show(rows, &watch, i);
    }
    if (good)
        lab_claim(
            rows,
            "additional copies of the registers reduce what interrupts cost: %.2f %% with one "
            "sample an interrupt, %.2f %% with 16, %.2f %% with 256, of one in %d "
            "instructions, at %d cycles an interrupt and %d a record: %s",
            overhead(&watch, 0), overhead(&watch, 2), overhead(&watch, 4), USUAL, INTERRUPT_CYCLES,
            RECORD_CYCLES, overhead(&watch, 4) < overhead(&watch, 0) ? "holds" : "does not hold");
    for (uint32_t i = 0; i < UNITS && watch.units[i]; i++)
        profileme_free(watch.units[i]);
    return good;
}

const struct lab_table lab_units = {
    .name = "pipeline-units",
    .title = "what a unit delivers and costs, one instruction in 100 chosen, by how many are "
             "followed together, tags, and samples between interrupts",
    .columns =
        (const char *const[]){"together", "tags", "buffer", "chosen", "no tags", "samples",
                              "records", "interrupts", "cycles a sample", "% of 1 in 65536", NULL},
    .modelled = units_fill,
    .steps = MODELLED_STEPS,
};
