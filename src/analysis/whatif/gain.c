#include "analysis/whatif/gain.h"

#include "analysis/pipeline/run_sums.h"
#include "analysis/whatif/whatif.h"

#include <math.h>

void gain_begin(struct whatif *whatif)
{
    const struct modelled *modelled = &whatif->modelled;
    const struct profile *profile = modelled->scene->sides[0];
    double user = (double)profile->totals.user_ns, kernel = (double)profile->totals.kernel_ns;
    struct run_sums sums;
    if (user + kernel > 0)
        whatif->user_share = user / (user + kernel);
    run_sums_make(&sums, modelled->scene, false);
    double ipc = modelled_ratio(modelled, &modelled->all, FIELD_RETIRED, 1, &modelled->all,
                                FIELD_TIME, ACCOUNT_STATES)
                     .value;
    if (ipc > 0)
        whatif->speed = sums.per_tick.value / ipc;
}

static const struct modelled_row *row_of(const struct modelled *modelled,
                                         const struct candidate *candidate)
{
    for (size_t i = 0; i < modelled->n; i++)
        if (modelled->at[i].module == candidate->module && modelled->at[i].at == candidate->place)
            return &modelled->at[i];
    return NULL;
}

/* Saved cycles per execution, by the spread of groups. */
static struct estimate each_of(const struct candidate *candidate)
{
    double units = 0, saved = 0, squares = 0;
    uint32_t groups = 0;
    for (int g = 0; g < WHATIF_GROUPS; g++) {
        units += candidate->sums[g].units;
        saved += candidate->sums[g].saved;
        groups += candidate->sums[g].units > 0;
    }
    double each = saved / units;
    if (groups < 2)
        return (struct estimate){each, NAN, NAN};
    for (int g = 0; g < WHATIF_GROUPS; g++) {
        double off = candidate->sums[g].saved - each * candidate->sums[g].units;
        squares += off * off;
    }
    double half = student_t(groups - 1) * sqrt(squares * groups / (groups - 1)) / units;
    return (struct estimate){each, each - half, each + half};
}

static struct estimate scaled(struct estimate estimate, double by)
{
    return (struct estimate){estimate.value * by, estimate.lo * by, estimate.hi * by};
}

/* Executions are known to a part of themselves. */
static struct estimate widened(struct estimate estimate, double part)
{
    double more = fabs(estimate.value) * part;
    return (struct estimate){estimate.value,
                             estimate.value - hypot(estimate.value - estimate.lo, more),
                             estimate.value + hypot(estimate.hi - estimate.value, more)};
}

void gain_estimate(const struct whatif *whatif, struct whatif_row *row)
{
    const struct modelled *modelled = &whatif->modelled;
    const struct candidate *candidate = &row->candidate;
    const struct modelled_row *place = row_of(modelled, candidate);
    double cycles = modelled_total(modelled, &modelled->all, FIELD_TIME, ACCOUNT_STATES).value;
    bool counted = place && place->fit_deviation > 0 && isfinite(place->fit_deviation);
    row->module = scene_module(modelled->scene, 0, candidate->module);
    row->each = each_of(candidate);
    row->executions = place && place->counted.value > 0 ? place->counted.value : (double)NAN;
    struct estimate each = widened(row->each, counted ? 1.96 * place->fit_deviation : 0);
    row->sampled = scaled(each, candidate->units / cycles * whatif->user_share);
    row->gain = row->sampled;
}
