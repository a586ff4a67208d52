#include "lab/pipeline/opportunities.h"

#include "base/err.h"
#include "model/core/model.h"
#include "lab/pipeline/modelled_run.h"
#include "model/pmu/profileme.h"
#include "model/replay/replay.h"

enum { INTERVAL = 100, UNITS = 2 };

static const char *const names[UNITS] = {"fetched instructions", "opportunities"};

struct unit {
    struct profileme *profileme;
    uint64_t retired, aborted;
};

struct watch {
    struct unit units[UNITS];
};

static void unit_take(void *context, const struct sample *samples, size_t n)
{
    struct unit *unit = context;
    for (size_t i = 0; i < n; i++)
        if (sample_happened(&samples[i], EVENT_RETIRED))
            unit->retired++;
        else
            unit->aborted++;
}

static void watch_begin(void *context, struct replay *replay)
{
    struct watch *watch = context;
    const struct model *model = replay->code->model;
    uint32_t width = model->opcache_ops ? model->opcache_width : model->decode_width;
    for (uint32_t i = 0; i < UNITS; i++) {
        struct profileme_setup setup = {.interval = INTERVAL,
                                        .tags = PROFILEME_TAGS,
                                        .buffer = 16,
                                        .opportunities = i ? width : 0,
                                        .seed = i + 1};
        watch->units[i].profileme = profileme_make(&setup, unit_take, &watch->units[i]);
    }
}

static void watch_see(void *context, const struct pmu_step *step)
{
    struct watch *watch = context;
    for (int i = 0; i < UNITS; i++)
        profileme_see(watch->units[i].profileme, step);
}

static void watch_gap(void *context)
{
    struct watch *watch = context;
    for (int i = 0; i < UNITS; i++)
        profileme_gap(watch->units[i].profileme);
}

static void row_put(struct lab_rows *rows, const struct unit *unit, const char *name)
{
    const struct profileme_counts *counts = profileme_counts(unit->profileme);
    double chosen = (double)counts->chosen;
    struct lab_row *row = lab_row_add(rows);
    lab_text(row, name);
    lab_cell(row, "%llu", (unsigned long long)counts->chosen);
    lab_share(row, (double)counts->empty, chosen);
    lab_share(row, (double)counts->off_path, chosen);
    lab_share(row, (double)counts->collided, chosen);
    lab_share(row, (double)unit->aborted, chosen);
    lab_share(row, (double)unit->retired, chosen);
}

static bool opportunities_fill(struct lab_rows *rows, const struct modelled_run *run,
                               struct err *err)
{
    struct watch watch = {0};
    struct modelled_watch listen = {watch_begin, watch_see, watch_gap, NULL, &watch};
    bool good = modelled_run_watch(run, &listen, err);
    for (int i = 0; i < UNITS && watch.units[i].profileme; i++) {
        profileme_finish(watch.units[i].profileme);
        if (good)
            row_put(rows, &watch.units[i], names[i]);
    }
    if (good) {
        const struct profileme_counts *counts = profileme_counts(watch.units[1].profileme);
        double useless = (double)(counts->empty + counts->off_path) / (double)counts->chosen;
        lab_claim(rows,
                  "counting opportunities, a significant part of the samples holds no instruction "
                  "of the predicted way: %.1f %%: %s",
                  100 * useless, useless > 0.1 ? "holds" : "does not hold");
    }
    for (int i = 0; i < UNITS && watch.units[i].profileme; i++)
        profileme_free(watch.units[i].profileme);
    return good;
}

const struct lab_table lab_opportunities = {
    .name = "pipeline-fetch",
    .title = "what is chosen, by what the counter counts",
    .columns = (const char *const[]){"counted", "chosen", "empty", "off the way", "no tag",
                                     "aborted", "retired", NULL},
    .modelled = opportunities_fill,
    .steps = MODELLED_STEPS,
};
