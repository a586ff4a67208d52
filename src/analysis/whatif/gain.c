#include "analysis/whatif/gain.h"

#include "analysis/pipeline/run_sums.h"
#include "analysis/whatif/whatif.h"
#include "model/replay/code.h"

#include <math.h>

/* Fitted to every second case of bench/whatif, judged by the others. */
static const double FACTOR = 2.1, BESIDES = 0.15, GAIN_MOST = 0.995;

void gain_begin(struct whatif *whatif, const struct whatif_measured *measured)
{
    const struct modelled *modelled = &whatif->modelled;
    const struct profile *profile = modelled->scene->sides[0];
    double user = (double)profile->totals.user_ns, kernel = (double)profile->totals.kernel_ns;
    struct run_sums sums;
    whatif->measured = measured ? measured : &whatif->made;
    if (!measured)
        measured_make(&whatif->made, modelled->scene);
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

/* The part of the program's cycles that the function at a place takes. */
static double function_part(const struct modelled *modelled, uint32_t module, uint64_t place,
                            double cycles)
{
    struct scene *scene = modelled->scene;
    uint32_t shown = scene_module(scene, 0, module);
    function_id function = scene_function_at(scene, shown, place);
    double sum = 0;
    for (size_t i = 0; i < modelled->n; i++) {
        const struct modelled_row *row = &modelled->at[i];
        if (row->module == module && scene_function_at(scene, shown, row->at) == function)
            sum += modelled_total(modelled, row, FIELD_TIME, ACCOUNT_STATES).value;
    }
    return sum / cycles;
}

/* What a change can touch: of a call, the called function, too. */
struct touched {
    double part;          /* of the modelled cycles */
    struct quantity time; /* as measured */
};

static void touch(struct touched *touched, const struct whatif *whatif, uint32_t module,
                  uint64_t place, double cycles)
{
    struct scene *scene = whatif->modelled.scene;
    uint32_t shown = scene_module(scene, 0, module);
    struct quantity time =
        measured_of(whatif->measured, shown, scene_function_at(scene, shown, place));
    quantity_add(&touched->time, &time);
    touched->part =
        fmin(touched->part + function_part(&whatif->modelled, module, place, cycles), 1);
}

static struct touched touched_by(const struct whatif *whatif, const struct candidate *candidate,
                                 double cycles)
{
    const struct modelled *modelled = &whatif->modelled;
    struct touched touched = {0};
    touch(&touched, whatif, candidate->module, candidate->place, cycles);
    for (size_t i = 0; i < modelled->n && candidate->kind == WHATIF_INLINE; i++) {
        const struct modelled_row *row = &modelled->at[i];
        if (replay_at(row->module, (struct svma){row->at}) == candidate->begin)
            touch(&touched, whatif, row->module, row->at, cycles);
    }
    return touched;
}

static double speedup_log(double gain)
{
    return -log1p(-fmin(gain, GAIN_MOST));
}

/* How far the model is from processors, as changes that were really made show (bench/whatif): the
 * logarithm of the speedup is off by a factor, and by what compilers and cores do besides to the
 * function that is changed. No change makes what it touches more than twice as slow. */
struct estimate gain_modelled(struct estimate sampled, double part)
{
    double log = speedup_log(sampled.value), besides = BESIDES * part;
    double up = fabs(log) * (FACTOR - 1) + besides, down = fabs(log) * (1 - 1 / FACTOR) + besides;
    if (isnan(sampled.lo) || isnan(sampled.hi))
        return (struct estimate){sampled.value, NAN, NAN};
    if (log < 0) {
        double other = up;
        up = down, down = other;
    }
    double lo = -expm1(hypot(log - speedup_log(sampled.lo), down) - log);
    double hi = log + hypot(speedup_log(sampled.hi) - log, up);
    return (struct estimate){sampled.value, fmax(lo, fmin(sampled.value, -part)), -expm1(-hi)};
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
    struct touched touched = touched_by(whatif, candidate, cycles);
    struct estimate share = estimate_share(modelled->scene->sides[0], &touched.time, true);
    struct estimate sampled = scaled(each, candidate->units / cycles);
    row->sampled = scaled(measured_gain(sampled, touched.part, share), whatif->user_share);
    row->gain = gain_modelled(row->sampled, fmin(touched.part, share.hi));
}

/* Likely gains count for less the farther their intervals reach below. */
static double likely(struct estimate gain)
{
    return gain.value > 0 ? gain.value * gain.value / (gain.value - gain.lo) : gain.value;
}

static int gain_class(struct estimate gain)
{
    return isnan(gain.lo) ? 2 : gain.lo > 0 ? 0 : 1;
}

int gain_order(const struct estimate *a, const struct estimate *b)
{
    int x = gain_class(*a), y = gain_class(*b);
    if (x != y)
        return x - y;
    double more = x == 0 ? a->lo - b->lo : x == 1 ? likely(*a) - likely(*b) : a->value - b->value;
    return (more < 0) - (more > 0);
}
