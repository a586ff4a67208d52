#include "lab/pipeline/slots.h"

#include "base/err.h"
#include "lab/pipeline/modelled_run.h"
#include "lab/pipeline/pairs.h"
#include "model/replay/replay.h"

#include <math.h>

enum { INTERVAL = 400, LIMIT = 1 << 16 };

struct watch {
    struct pairs pairs;
    bool open;
    struct err err;
};

static void watch_begin(void *context, struct replay *replay)
{
    struct watch *watch = context;
    watch->open = pairs_open(&watch->pairs, replay->code->model, INTERVAL, LIMIT, &watch->err);
}

static void watch_see(void *context, const struct pmu_step *step)
{
    struct watch *watch = context;
    if (watch->open)
        pairs_see(&watch->pairs, step);
}

static void watch_gap(void *context)
{
    struct watch *watch = context;
    if (watch->open)
        profileme_gap(watch->pairs.unit);
}

/* Instructions that should have at least so many records. */
struct score {
    uint64_t least;
    uint32_t places, envelope, deviation, interval;
    double estimated, wasted, variance;
};

static void score_add(struct score *score, const struct pairs *pairs, const struct truth_row *row,
                      struct avma at)
{
    uint64_t records;
    struct metric_estimate estimate = pairs_estimate(pairs, at, &records);
    double wasted = pairs_wasted(pairs, row);
    /* Each pair has two sides, and stands for as many instructions as one record. */
    if (2 * row->fetched < score->least * INTERVAL || !records)
        return;
    double off = fabs(estimate.value - wasted);
    score->places++;
    score->envelope += off <= wasted / sqrt((double)records);
    double deviation = (estimate.hi - estimate.lo) / 2 / 1.96;
    score->deviation += off <= deviation;
    score->variance += deviation * deviation;
    score->interval += wasted >= estimate.lo && wasted <= estimate.hi;
    score->estimated += estimate.value;
    score->wasted += wasted;
}

static void score_put(struct lab_rows *rows, const struct score *score)
{
    struct lab_row *row = lab_row_add(rows);
    lab_cell(row, "%llu", (unsigned long long)score->least);
    lab_cell(row, "%u", score->places);
    lab_share(row, score->envelope, score->places);
    lab_share(row, score->deviation, score->places);
    lab_share(row, score->interval, score->places);
    lab_cell(row, "%.3e", score->wasted);
    lab_cell(row, "%.3e", score->estimated);
}

static void rows_put(struct lab_rows *rows, const struct pairs *pairs)
{
    struct score scores[] = {{.least = 10}, {.least = 100}, {.least = 1000}};
    enum { SCORES = sizeof scores / sizeof *scores };
    const struct profileme_counts *counts = profileme_counts(pairs->unit);
    for (uint32_t i = 0; i < pairs->truth.n; i++) {
        struct avma at = {*(const uint64_t *)map_key(&pairs->truth.places, i)};
        for (int s = 0; s < SCORES; s++)
            score_add(&scores[s], pairs, &pairs->truth.at[i], at);
    }
    for (int s = 0; s < SCORES; s++)
        score_put(rows, &scores[s]);
    double off = 100 * (scores[0].estimated / scores[0].wasted - 1);
    double inside = 100.0 * scores[1].interval / (scores[1].places ? scores[1].places : 1);
    double near = 100.0 * scores[1].deviation / (scores[1].places ? scores[1].places : 1);
    lab_claim(rows,
              "%llu pairs; %llu more found no tag, %llu had no second; %llu instructions too long "
              "in flight to be counted",
              (unsigned long long)counts->delivered, (unsigned long long)counts->collided,
              (unsigned long long)counts->cut, (unsigned long long)pairs->truth.lost);
    lab_claim(
        rows,
        "of instructions with 100 records two thirds are inside of one standard deviation, and "
        "95 %% inside of the interval: %.1f and %.1f %% (bars 60 to 75, 90): %s",
        near, inside,
        !scores[1].places                          ? "there are none: more --steps"
        : inside >= 90 && near >= 60 && near <= 75 ? "holds"
                                                   : "does not hold");
    /* Both sides of a pair are long at the same time: twice the variance of independent ones, at
     * most. */
    double chance = 100 * sqrt(2 * scores[0].variance) / scores[0].wasted;
    lab_claim(rows,
              "pairs estimate wasted slots without bias: all together %+.1f %%, standard deviation "
              "%.1f: %s",
              off, chance, fabs(off) < 2.58 * chance ? "holds" : "does not hold");
}

static bool slots_fill(struct lab_rows *rows, const struct modelled_run *run, struct err *err)
{
    struct watch watch = {0};
    struct modelled_watch listen = {watch_begin, watch_see, watch_gap, NULL, &watch};
    bool good = modelled_run_watch(run, &listen, err);
    if (good && !watch.open) {
        *err = watch.err;
        return false;
    }
    if (good) {
        pairs_finish(&watch.pairs);
        rows_put(rows, &watch.pairs);
    }
    if (watch.open)
        pairs_release(&watch.pairs);
    return good;
}

const struct lab_table lab_slots = {
    .name = "pipeline-slots",
    .title = "wasted slots of issue, of instructions that should have so many records: pairs "
             "against the truth",
    .columns = (const char *const[]){"records", "instructions", "in 1/sqrt(n)", "in 1 deviation",
                                     "in 95 %", "wasted", "estimated", NULL},
    .modelled = slots_fill,
    .steps = MODELLED_STEPS,
};
