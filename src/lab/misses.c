#include "lab/misses.h"

#include "view/latencies.h"

enum { GROUPS = 6, TIMED_LEAST = 10 };

/* 0: none; then fifths. */
static int group_of(const struct load_place *place)
{
    uint64_t missed = place->timed - place->bins[LATENCY_NEAR];
    double part = (double)missed / (double)place->timed;
    int fifth = (int)(part * (GROUPS - 1)) + 1;
    return !missed ? 0 : fifth < GROUPS ? fifth : GROUPS - 1;
}

static void misses_fill(struct lab_row *row, const struct lab_recording *recording,
                        const struct lab_recording *base)
{
    (void)base;
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
    lab_cell(row, "%.0f", places);
    lab_cell(row, "%.0f", places > 0 ? timed / places : 0);
    for (int i = 0; i < GROUPS; i++)
        lab_share(row, groups[i], places);
}

static const char *const columns[] = {"recording", "loads",   "timed each", "0 %",      "1-20 %",
                                      "21-40 %",   "41-60 %", "61-80 %",    "81-100 %", NULL};
const struct lab_table lab_misses = {.name = "sampling-1",
                                     .title = "loads (with 10 timings or more) by how many of "
                                              "these were not near: of a program whose loads "
                                              "are all near, misses that profiling causes",
                                     .columns = columns,
                                     .fill = misses_fill};
