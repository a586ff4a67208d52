#include "lab/paths/misses.h"

#include "base/err.h"
#include "profile/profile.h"
#include "analysis/values/latencies.h"

enum { GROUPS = 6, TIMED_LEAST = 10 };

/* 0: none; then fifths. */
static int group_of(const struct load_place *place)
{
    uint64_t missed = place->timed - place->bins[LATENCY_NEAR];
    double part = (double)missed / (double)place->timed;
    int fifth = (int)(part * (GROUPS - 1)) + 1;
    return !missed ? 0 : fifth < GROUPS ? fifth : GROUPS - 1;
}

static void recording_show(struct lab_rows *rows, const struct lab_recording *recording)
{
    struct lab_row *row = lab_row_add(rows);
    struct latency_view view;
    double groups[GROUPS] = {0}, places = 0, timed = 0;
    latency_view_make(&view, recording->scene);
    for (size_t i = 0; i < view.n; i++)
        if (view.at[i].timed >= TIMED_LEAST) {
            groups[group_of(&view.at[i])]++;
            timed += (double)view.at[i].timed;
            places++;
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
