#include "lab/paths/costs.h"

#include "profile/profile.h"
#include "analysis/report/context_ticks.h"
#include "analysis/paths/path_ticks.h"

/* Of the program, less what is known to be the agent's: a base that samples is the program alone.
 */
static double seconds(const struct profile *profile)
{
    const struct totals *totals = &profile->totals;
    uint64_t all = totals->user_ns + totals->kernel_ns;
    uint64_t agent =
        profile->mode == PROFILE_SAMPLED && totals->agent_ns < all ? totals->agent_ns : 0;
    return (double)(all - agent) / 1e9;
}

static void times(struct lab_row *row, double value, double base)
{
    if (base > 0 && value > 0)
        lab_cell(row, "%.2f", value / base);
    else
        lab_text(row, "");
}

static void overhead_fill(struct lab_row *row, const struct lab_recording *recording,
                          const struct lab_recording *base)
{
    lab_text(row, profile_mode_name(recording->profile->mode));
    lab_cell(row, "%.2f", seconds(recording->profile));
    times(row, seconds(recording->profile), seconds(base->profile));
}

/* Along paths, or in contexts. */
static double measured_ticks(const struct profile *profile)
{
    double ticks = 0;
    if (profile->mode != PROFILE_EXACT)
        return 0;
    struct context_clock stays = context_clock_find(profile);
    for (uint32_t i = 0; i < profile->stacks.cells.n; i++) {
        const struct stack_cell *cell = map_key(&profile->stacks.cells, i);
        if (cell->group == STACK_TICKS)
            ticks += (double)context_clock_weight(&stays, profile, i);
    }
    struct path_clock clock = path_clock_find(profile);
    return ticks + path_clock_sum(&clock, profile);
}

static double base_ticks(const struct profile *profile)
{
    const struct totals *totals = &profile->totals;
    return totals->user_ns ? (double)totals->user_ticks * seconds(profile) * 1e9 /
                                 (double)(totals->user_ns + totals->kernel_ns)
                           : 0;
}

static void perturbation_fill(struct lab_row *row, const struct lab_recording *recording,
                              const struct lab_recording *base)
{
    const struct profile *profile = recording->profile;
    bool exact = profile->mode == PROFILE_EXACT && base->profile->mode == PROFILE_EXACT;
    times(row, exact ? (double)profile->totals.instructions : 0,
          (double)base->profile->totals.instructions);
    times(row, seconds(profile), seconds(base->profile));
    times(row, measured_ticks(profile), base_ticks(base->profile));
}

static const char *const overhead_columns[] = {"recording", "mode", "seconds", "times the base",
                                               NULL};
const struct lab_table lab_overhead = {
    .name = "paths-1",
    .title = "overhead of profiling: CPU time of the program, by that of the first recording",
    .columns = overhead_columns,
    .fill = overhead_fill};

static const char *const perturbation_columns[] = {"recording", "instructions", "time", "ticks",
                                                   NULL};
const struct lab_table lab_perturbation = {
    .name = "paths-2",
    .title = "perturbation: what is measured, by what the first recording measured",
    .columns = perturbation_columns,
    .fill = perturbation_fill};
