#include "lab/paths/misses.h"

#include "base/err.h"
#include "profile/profile.h"
#include "analysis/values/latencies.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GROUPS = 6, TIMED_LEAST = 10, NEAR_LEAST = 100 };
/* Of the difference between two caches: programs of known caches read 4 to 41 points high, since a
 * timing costs a little more among a program's code than where the scale is measured. */
static const double READ_HIGH = 0.45, READ_LOW = 0.05;

/* 0: none; then fifths. */
static int group_of(const struct load_place *place)
{
    uint64_t missed = place->timed - place->bins[LATENCY_NEAR];
    double part = (double)missed / (double)place->timed;
    int fifth = (int)(part * (GROUPS - 1)) + 1;
    return !missed ? 0 : fifth < GROUPS ? fifth : GROUPS - 1;
}

/* ---- the first cache alone, by means: the clock may be too coarse for a single load */

struct levels {
    double first, second, error; /* mean ticks; 0: not measured */
};

static struct levels levels_of(const struct profile *profile)
{
    struct levels levels = {0};
    const char *fact = profile_fact_find(profile, "latency_levels");
    double numbers[3] = {0};
    for (int i = 0; fact && i < 3; i++) {
        char *end;
        fact += strcspn(fact, "0123456789");
        numbers[i] = strtod(fact, &end);
        fact = end;
    }
    if (numbers[1] > numbers[0])
        levels = (struct levels){numbers[0], numbers[1], numbers[2]};
    return levels;
}

/* Timings of all places that are near. */
struct near_loads {
    double n, ticks, squares;
};

static void near_add(struct near_loads *near, const struct load_place *place)
{
    near->n += (double)place->bins[LATENCY_NEAR];
    near->ticks += place->near_ticks;
    near->squares += place->near_squares;
}

static void first_claim(struct lab_rows *rows, const char *file, const struct near_loads *near,
                        const struct levels *levels)
{
    if (!levels->second || near->n < NEAR_LEAST) {
        lab_claim(
            rows, "%s: most loads that are near come from the first cache: cannot be judged: %s",
            file,
            levels->second ? "fewer than 100 loads that are near were timed"
                           : "the clock does not tell it from the second, not even in a mean");
        return;
    }
    double apart = levels->second - levels->first, mean = near->ticks / near->n;
    double variance = fmax(near->squares / near->n - mean * mean, 0) / near->n;
    double error = hypot(levels->error * M_SQRT2, sqrt(variance));
    double share = (mean - levels->first) / apart, chance = 1.96 * error / apart;
    double low = fmin(fmax(share - hypot(chance, READ_HIGH), 0), 1);
    double high = fmin(fmax(share + hypot(chance, READ_LOW), 0), 1);
    lab_claim(
        rows,
        "%s: most loads that are near come from the first cache: %s: %.0f to %.0f %% come from "
        "the second, by their mean (%.2f ticks; first cache %.2f, second %.2f; the paper: 5 %% "
        "miss the first, by its table)",
        file,
        high < 0.5  ? "holds"
        : low < 0.5 ? "cannot be judged"
                    : "does not hold",
        100 * low, 100 * high, mean, levels->first, levels->second);
}

static void recording_show(struct lab_rows *rows, const struct lab_recording *recording)
{
    struct lab_row *row = lab_row_add(rows);
    struct latency_view view;
    struct levels levels = levels_of(recording->profile);
    struct near_loads near = {0};
    double groups[GROUPS] = {0}, places = 0, timed = 0;
    latency_view_make(&view, recording->scene);
    for (size_t i = 0; i < view.n; i++)
        if (view.at[i].timed >= TIMED_LEAST) {
            groups[group_of(&view.at[i])]++;
            timed += (double)view.at[i].timed;
            places++;
            near_add(&near, &view.at[i]);
        }
    latency_view_release(&view);
    lab_text(row, lab_file_name(recording->file));
    lab_cell(row, "%.0f", places);
    lab_cell(row, "%.0f", places > 0 ? timed / places : 0);
    for (int i = 0; i < GROUPS; i++)
        lab_share(row, groups[i], places);
    if (places > 0)
        lab_claim(rows,
                  "%s: nine of ten loads never miss, few nearly always: %s: %.1f %% and %.1f %% "
                  "(the paper: 88 %% and 3 %%)",
                  lab_file_name(recording->file),
                  groups[0] >= 0.88 * places && groups[GROUPS - 1] <= 0.05 * places
                      ? "holds"
                      : "does not hold",
                  100 * groups[0] / places, 100 * groups[GROUPS - 1] / places);
    first_claim(rows, lab_file_name(recording->file), &near, &levels);
}

bool lab_latencies_check(const struct lab_recording *all, size_t n, struct err *err)
{
    for (size_t i = 0; i < n; i++)
        if (!all[i].profile->latencies.n)
            return err_set(
                err, ERR_FORMAT,
                "%s: has no latencies; gait record --events edge,call,latency takes them",
                all[i].file);
    return true;
}

static bool misses_fill(struct lab_rows *rows, const struct lab_recording *all, size_t n,
                        struct err *err)
{
    if (!lab_latencies_check(all, n, err))
        return false;
    for (size_t i = 0; i < n; i++)
        recording_show(rows, &all[i]);
    return true;
}

static const char *const columns[] = {"recording", "loads",   "timed each", "0 %",      "1-20 %",
                                      "21-40 %",   "41-60 %", "61-80 %",    "81-100 %", NULL};
const struct lab_table lab_misses = {.name = "sampling-1",
                                     .title = "loads (with 10 timings or more) by how many of "
                                              "these were not near: of a program whose loads "
                                              "are all near, misses that profiling causes",
                                     .columns = columns,
                                     .recordings = misses_fill};
