#include "lab/pipeline/convergence.h"

#include "base/err.h"
#include "lab/pipeline/modelled_run.h"
#include "model/pmu/profileme.h"
#include "model/pmu/truth.h"
#include "model/replay/code.h"

#include <math.h>
#include <stdio.h>

static const uint64_t intervals[] = {30, 100, 300, 1000, 3000, 10000, 30000};
enum { UNITS = sizeof intervals / sizeof *intervals, EXPECTED = 10, WELL = 60, TOO_WELL = 75 };
/* So many that hardly any selection finds none, at the shortest interval as well; and of how many
 * instructions a share can be judged. */
enum { TAGS = 64, BUFFER = 16, POINTS_LEAST = 1000 };

/* Samples of one instruction that have a property. */
struct hits {
    uint32_t retired, missed;
};

struct unit {
    struct profileme *profileme;
    struct watch *watch;
    VEC(struct hits); /* by the numbers of truth's places */
};

struct watch {
    struct truth truth;
    struct unit units[UNITS];
};

static void unit_take(void *context, const struct sample *samples, size_t n)
{
    struct unit *unit = context;
    for (size_t i = 0; i < n; i++) {
        uint32_t place = map_find(&unit->watch->truth.places, &samples[i].at[SAMPLE_PC]);
        while (unit->n <= place)
            *vec_push(unit) = (struct hits){0};
        bool retired = sample_happened(&samples[i], EVENT_RETIRED);
        unit->at[place].retired += retired;
        unit->at[place].missed += retired && sample_happened(&samples[i], EVENT_L1_MISS);
    }
}

static void watch_see(void *context, const struct pmu_step *step)
{
    struct watch *watch = context;
    truth_see(&watch->truth, step);
    for (int i = 0; i < UNITS; i++)
        profileme_see(watch->units[i].profileme, step);
}

static void watch_gap(void *context)
{
    struct watch *watch = context;
    for (int i = 0; i < UNITS; i++)
        profileme_gap(watch->units[i].profileme);
}

/* Instructions that have samples with the property: how many, and of how many the estimate is
 * within 1/sqrt(samples) of the truth.
 *
 * Of those that should have less than one sample only those are seen that have one by luck, and
 * they are outside; of those that should have a few the steps from one sample to the next are as
 * wide as the envelope. Two thirds are to be expected of those that should have ten, EXPECTED, at
 * least. */
struct score {
    uint32_t places, inside;
};

struct judged {
    struct score any, well; /* with any sample; that should have EXPECTED */
};

static void score_add(struct score *score, double ratio, uint32_t samples)
{
    score->places++;
    score->inside += fabs(ratio - 1) <= 1 / sqrt(samples);
}

static void judged_add(struct judged *judged, struct lab_rows *rows, const char *series,
                       const char *name, uint32_t samples, uint64_t truth, uint64_t interval)
{
    if (!samples)
        return;
    double ratio = (double)samples * (double)interval / (double)truth;
    score_add(&judged->any, ratio, samples);
    if (truth < EXPECTED * interval)
        return;
    score_add(&judged->well, ratio, samples);
    lab_point(rows, series, name, samples, ratio);
}

static void score_put(struct lab_row *row, const struct score *score)
{
    lab_cell(row, "%u", score->places);
    lab_share(row, score->inside, score->places);
}

static void judged_put(struct lab_row *row, const struct judged *judged)
{
    score_put(row, &judged->any);
    score_put(row, &judged->well);
}

static void row_put(struct lab_rows *rows, const struct unit *unit, uint64_t interval,
                    struct score *all)
{
    const struct profileme_counts *counts = profileme_counts(unit->profileme);
    struct judged retired = {0}, missed = {0};
    for (uint32_t i = 0; i < unit->n; i++) {
        const struct truth_row *truth = &unit->watch->truth.at[i];
        const uint64_t *at = map_key(&unit->watch->truth.places, i);
        char name[64];
        uint32_t module;
        struct svma linked;
        replay_place(*at, &module, &linked);
        snprintf(name, sizeof name, "%u+0x%llx every %llu", module, (unsigned long long)linked.v,
                 (unsigned long long)interval);
        judged_add(&retired, rows, "retired", name, unit->at[i].retired, truth->retired, interval);
        judged_add(&missed, rows, "missed", name, unit->at[i].missed, truth->l1d_misses, interval);
    }
    struct lab_row *row = lab_row_add(rows);
    lab_cell(row, "%llu", (unsigned long long)interval);
    lab_cell(row, "%llu", (unsigned long long)counts->delivered);
    judged_put(row, &retired);
    judged_put(row, &missed);
    lab_cell(row, "%llu", (unsigned long long)counts->collided);
    all[0].places += retired.well.places;
    all[0].inside += retired.well.inside;
    all[1].places += missed.well.places;
    all[1].inside += missed.well.inside;
}

static void score_claim(struct lab_rows *rows, const struct score *score, const char *what)
{
    double share = score->places ? 100.0 * score->inside / score->places : 0;
    lab_claim(rows,
              "of instructions that should have ten samples two thirds are inside of 1 +- "
              "1/sqrt(samples), %s: %.1f %% of "
              "%u (bar %d to %d): %s",
              what, share, score->places, WELL, TOO_WELL,
              score->places < POINTS_LEAST         ? "cannot be judged of fewer than 1000"
              : share >= WELL && share <= TOO_WELL ? "holds"
                                                   : "does not hold");
}

static bool convergence_fill(struct lab_rows *rows, const struct modelled_run *run, struct err *err)
{
    struct watch watch = {0};
    struct score all[2] = {0};
    struct modelled_watch listen = {.see = watch_see, .gap = watch_gap, .context = &watch};
    truth_init(&watch.truth);
    for (uint32_t i = 0; i < UNITS; i++) {
        struct profileme_setup setup = {
            .interval = intervals[i], .tags = TAGS, .buffer = BUFFER, .seed = i + 1};
        watch.units[i].watch = &watch;
        watch.units[i].profileme = profileme_make(&setup, unit_take, &watch.units[i]);
    }
    bool good = modelled_run_watch(run, &listen, err);
    for (int i = 0; i < UNITS; i++) {
        profileme_finish(watch.units[i].profileme);
        if (good)
            row_put(rows, &watch.units[i], intervals[i], all);
        profileme_free(watch.units[i].profileme);
        vec_release(&watch.units[i]);
    }
    if (good) {
        lab_claim(rows, "of %llu instructions that were fetched, %llu retired",
                  (unsigned long long)watch.truth.fetched, (unsigned long long)watch.truth.retired);
        score_claim(rows, &all[0], "retirements");
        score_claim(rows, &all[1], "misses of data");
    }
    truth_release(&watch.truth);
    return good;
}

const struct lab_table lab_convergence = {
    .name = "pipeline-3",
    .title = "estimates of each instruction's retirements and misses against the truth, by the "
             "mean interval",
    .columns =
        (const char *const[]){"interval", "samples", "retired", "inside", "ten expected", "inside",
                              "missed", "inside", "ten expected", "inside", "no tag", NULL},
    .modelled = convergence_fill,
    .scatter = &(const struct lab_scatter){.x = "samples",
                                           .y = "estimate by truth",
                                           .name = "instruction",
                                           .y_most = 2,
                                           .by_magnitude = true,
                                           .envelope = true},
    .steps = MODELLED_STEPS,
};
