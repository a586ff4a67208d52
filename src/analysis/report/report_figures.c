#include "analysis/report/report_parts.h"

#include "analysis/counts/trips.h"

#include <math.h>

bool report_row_unnamed(const struct report *report, const struct report_row *row)
{
    const struct scene_modules *modules = &report->scene->modules;
    return row->module >= modules->n || row->name == modules->at[row->module].label;
}

bool report_has_body(const struct report *report)
{
    return report->by == BY_FUNCTION || report->by == BY_LINE || report->by == BY_INLINE ||
           report->by == BY_LOOP;
}

bool report_has_total(const struct report *report)
{
    const struct profile *profile = report->scene->sides[0];
    bool callers = profile->mode == PROFILE_PLAIN || stacks_have_callers(&profile->stacks);
    return report->has_below || report->has_inclusive || (report->has_plain && callers);
}

static const struct quantity *row_quantity(const struct report *report,
                                           const struct report_row *row)
{
    bool body = report->weight == WEIGHT_TIME || report_has_body(report);
    return body ? &row->body : &row->count;
}

static const struct plain *row_plain(const struct report *report, const struct report_row *row)
{
    return row->kernel ? &report->kernel : &report->plain;
}

static const struct groups *row_groups(const struct report *report, const struct report_row *row)
{
    return report->by == BY_CALL ? &row->plain->total : &row->plain->self;
}

uint64_t report_weight(const struct report *report, const struct report_row *row)
{
    if (row->plain)
        return row_groups(report, row)->sum;
    const struct quantity *quantity = row_quantity(report, row);
    return report->weight == WEIGHT_TIME ? quantity->time : quantity->count;
}

static const struct estimate unknown = {NAN, NAN, NAN};

/* How much of all is user or kernel time. Where the kernel counted it there is no chance in it;
 * samples of another profiler, or of an event, are all that is known of it. */
static struct estimate mode_share(const struct report *report, bool kernel)
{
    const struct profile *profile = report->scene->sides[0];
    double all = report->user_s + report->kernel_s;
    double share = (kernel ? report->kernel_s : report->user_s) / all;
    bool sampled = profile_fact_find(profile, "imported") || plain_counts_events(profile);
    double n = (double)profile->totals.interrupts;
    return sampled && n > 0 ? binomial_share(share * n, n) : (struct estimate){share, share, share};
}

/* Of a share of user or kernel time, that of both. */
static struct estimate of_both(const struct report *report, struct estimate share, bool kernel)
{
    double all = report->user_s + report->kernel_s;
    if (!report->both || !(all > 0))
        return share;
    struct estimate mode = mode_share(report, kernel);
    double value = share.value * mode.value;
    double less =
        hypot(mode.value * (share.value - share.lo), share.value * (mode.value - mode.lo));
    double more =
        hypot(mode.value * (share.hi - share.value), share.value * (mode.hi - mode.value));
    /* Not a number stays so. */
    return (struct estimate){value, less > value ? 0 : value - less, value + more};
}

static struct estimate own_share(const struct report *report, const struct report_row *row)
{
    if (row->kernel && !row->plain) /* all of a kernel that was not sampled */
        return (struct estimate){1, 1, 1};
    if (row->plain)
        return plain_share(row_plain(report, row), row_groups(report, row));
    bool time = report->weight == WEIGHT_TIME;
    struct estimate share =
        estimate_share(report->scene->sides[0], row_quantity(report, row), time);
    if (time || report_has_body(report))
        return share;
    /* Shares of all blocks or edges are shares of instructions on another scale. */
    double scale = 0;
    if (share.value > 0 && report->total)
        scale = (double)report_weight(report, row) / (double)report->total / share.value;
    return (struct estimate){share.value * scale, share.lo * scale,
                             share.hi * scale > 1 ? 1 : share.hi * scale};
}

struct estimate report_share(const struct report *report, const struct report_row *row)
{
    return of_both(report, own_share(report, row), row->kernel);
}

static const struct plain_row *row_stacks(const struct report *report, const struct report_row *row)
{
    if (!report_has_total(report) || report->has_inclusive || (row->kernel && !row->plain))
        return NULL;
    return row->plain ? row->plain : row->below;
}

struct estimate report_total_share(const struct report *report, const struct report_row *row)
{
    const struct plain_row *of = row_stacks(report, row);
    if (report->has_inclusive && row->inclusive)
        return estimate_share(report->scene->sides[0], &(struct quantity){.count = row->inclusive},
                              false);
    if (!of)
        return unknown;
    struct estimate total = plain_total_share(row_plain(report, row), &of->total);
    if (!report->both || row->kernel || !report->kernel_sampled)
        return of_both(report, total, row->kernel);
    /* Of a function of the program, what it did in the kernel, too; the two vary apart. */
    struct estimate user = of_both(report, total, false);
    struct estimate kernel = of_both(report, plain_beside_share(&report->plain, &of->beside), true);
    double value = user.value + kernel.value;
    return (struct estimate){
        value, value - hypot(user.value - user.lo, kernel.value - kernel.lo),
        fmin(1, value + hypot(user.hi - user.value, kernel.hi - kernel.value))};
}

struct estimate report_count(const struct report *report, const struct report_row *row)
{
    return row->plain || row->kernel ? unknown
                                     : estimate_count(report->scene->sides[0], &row->count);
}

struct estimate report_entries(const struct report *report, const struct report_row *row)
{
    return row->plain || row->kernel ? unknown
                                     : estimate_count(report->scene->sides[0], &row->entries);
}

/* A run counts what is entered beside the head, the test at the end of a loop, as an iteration. */
static void bars_shift(struct trip_bars *bars)
{
    for (size_t i = 0; i < bars->n; i++) {
        struct trip_bar *bar = &bars->at[i];
        bar->n = fmax(bar->n - 1, 0);
        bar->from -= bar->from > 0;
        bar->to -= bar->to > 0;
    }
    bars->longer_n -= bars->longer_n > 0;
}

/* What a loop looks like by its jumps is not always the loop: where one leads back into the loop
 * inside of it, the runs of both are others than theirs. And where it is entered beside its head,
 * runs have one iteration more. The counts know: where all are entered so, they differ by one, and
 * where some are, nobody knows which. Exact ones differ by what was cut, others by chance. */
bool report_trips(const struct report *report, const struct report_row *row, struct trip_bars *bars)
{
    bool any = trip_bars_make(bars, report->scene, 0, row->module, row->trips);
    struct estimate mean = trip_bars_mean(bars);
    if (!any || row->plain || !row->entries.count || isnan(mean.value))
        return any;
    const struct profile *profile = report->scene->sides[0];
    bool exact = profile->mode == PROFILE_EXACT;
    struct estimate quotient = estimate_quotient(profile, &row->count, &row->entries);
    double counted = quotient.value;
    double slack = exact ? (0.05 + bars->cut) * counted : 0.5 + 0.25 * counted;
    bool beside = mean.value > quotient.hi + 0.5; /* one more, rather than none */
    if (counted + beside >= mean.lo - slack && counted + beside <= mean.hi + slack) {
        if (beside)
            bars_shift(bars);
        return true;
    }
    trip_bars_release(bars);
    *bars = (struct trip_bars){.cut = NAN};
    return false;
}

/* Only one window in TRIPS_EVERY is searched for runs, and a run's length may change over the
 * program's life, so the mean of those few windows errs by more than the spread of their runs.
 * Every window and trail counts iterations and entries: their quotient is the mean. The runs give
 * its interval, at one independent run for every fourth window. Runs that a window cuts have their
 * entry or a part of their iterations outside of it. */
static struct estimate counted_mean(const struct profile *profile, double mean,
                                    const struct trip_bars *bars)
{
    enum { APART = 4 };
    double apart = fmax((double)profile->totals.windows / APART, 1);
    double runs = fmax(fmin(apart, bars->runs), 1);
    double sd = hypot(trip_bars_sd(bars), mean * bars->cut) / sqrt(runs);
    double half = 2 * sd + mean * fmin(3 / bars->runs, 1);
    return (struct estimate){mean, fmax(mean - half, fmin(mean, 1)), mean + half};
}

/* Runs that are longer than windows: their entries and most of their iterations are seen by
 * different windows. The quotient then errs by chance as much as the number of entries that were
 * seen does, and by what is wrong with the weights of fast code against slow: measured, by up to a
 * factor of 1.7 (a loop of a million iterations on a Zen 4), of which the logarithm has this
 * deviation. Without an entry nothing is known but that runs are long. */
static struct estimate censored_mean(const struct profile *profile, const struct report_row *row)
{
    const double deviation = 0.4;
    const struct totals *totals = &profile->totals;
    double seen = (double)totals->instructions / (double)totals->count, spread = exp(2 * deviation);
    struct estimate entries = poisson_number((double)row->entries.count * seen);
    double iterations = (double)row->count.count * seen;
    struct estimate mean = {NAN, fmax(iterations / entries.hi / spread, 1),
                            entries.lo > 0 ? iterations / entries.lo * spread : (double)INFINITY};
    if (!row->entries.count)
        return mean;
    struct estimate batches = estimate_quotient(profile, &row->count, &row->entries);
    /* Where batches differ by more. Most of it is the entries' number, which the mean is divided
     * by: below, the interval ends at the mean divided by as much as it is multiplied by above. */
    double most = fmax(mean.hi, batches.hi), value = batches.value;
    double least = isinf(most) ? mean.lo : fmin(mean.lo, value * value / most);
    return (struct estimate){value, least, most};
}

/* Iterations that no run of the loop is known to contain whole. */
static bool is_censored(const struct profile *profile, const struct trip_bars *bars)
{
    return profile->mode == PROFILE_SAMPLED && profile->totals.count &&
           (isnan(bars->cut) || bars->cut > 0.5);
}

struct estimate report_trip_mean(const struct report *report, const struct report_row *row)
{
    const struct profile *profile = report->scene->sides[0];
    struct estimate mean = unknown;
    struct trip_bars bars = {0};
    if (row->plain || (!row->entries.count && !row->count.count))
        return unknown;
    report_trips(report, row, &bars);
    if (is_censored(profile, &bars))
        mean = censored_mean(profile, row);
    else if (row->entries.count)
        mean = estimate_quotient(profile, &row->count, &row->entries);
    if (row->entries.count && profile->mode == PROFILE_SAMPLED && bars.runs > 0 &&
        !is_censored(profile, &bars) && !isnan(trip_bars_sd(&bars)))
        mean = counted_mean(profile, mean.value, &bars);
    trip_bars_release(&bars);
    return mean;
}

struct estimate report_instructions(const struct report *report, const struct report_row *row)
{
    return row->plain || row->kernel ? unknown
                                     : estimate_count(report->scene->sides[0], &row->body);
}

struct estimate report_time(const struct report *report, const struct report_row *row)
{
    if (row->kernel && !row->plain)
        return (struct estimate){report->kernel_s, report->kernel_s, report->kernel_s};
    if (row->plain)
        return plain_amount(row_plain(report, row), row_groups(report, row));
    const struct profile *profile = report->scene->sides[0];
    return profile->mode == PROFILE_EXACT ? unknown : estimate_time(profile, &row->body);
}

struct estimate report_total(const struct report *report, const struct report_row *row)
{
    const struct plain_row *of = row_stacks(report, row);
    return of ? plain_total_amount(row_plain(report, row), &of->total) : unknown;
}

struct estimate report_total_instructions(const struct report *report, const struct report_row *row)
{
    if (!report->has_inclusive || !row->inclusive)
        return unknown;
    return estimate_count(report->scene->sides[0], &(struct quantity){.count = row->inclusive});
}

struct estimate report_cpi(const struct report *report, const struct report_row *row)
{
    const struct profile *profile = report->scene->sides[0];
    bool counted = profile->mode == PROFILE_SAMPLED && !row->plain && !row->kernel;
    return counted ? estimate_cpi(profile, &row->body) : unknown;
}
