#include "analysis/counts/estimate.h"

#include <math.h>
#include <stdlib.h>

double student_t(uint64_t degrees)
{
    static const double small[] = {0,      12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646,
                                   2.3060, 2.2622,  2.2281, 2.2010, 2.1788, 2.1604, 2.1448, 2.1314};
    if (!degrees)
        return INFINITY;
    if (degrees < sizeof small / sizeof *small)
        return small[degrees];
    /* Expansion around the normal quantile; better than 0.0001 from here on. */
    const double z = 1.959964, z2 = z * z, z4 = z2 * z2, n = (double)degrees;
    return z + z * (z2 + 1) / (4 * n) + z * (5 * z4 + 16 * z2 + 3) / (96 * n * n) +
           z * (3 * z2 * z4 + 19 * z4 + 17 * z2 - 15) / (384 * n * n * n);
}

/* Standard deviation of y as a part of x, in units of y. */
static double ratio_sd(uint64_t batches, uint64_t y, uint64_t x, u128 yy, u128 xy, u128 xx)
{
    if (batches < 2 || !x)
        return INFINITY;
    double b = (double)batches, r = (double)y / (double)x;
    double residual = (double)yy - 2 * r * (double)xy + r * r * (double)xx;
    return residual > 0 ? sqrt(b / (b - 1) * residual) : 0;
}

/* Standard deviation of y by itself. Batches differ in their number of windows, x (the last one is
 * nearly always smaller), which is no fault of y's; but products of y and x are not kept. If what a
 * window holds does not depend on how many its batch has, the sum r of (y - q x)^2 is expected to
 * be yy - q^2 xx, give or take 2 sqrt(r noise). The largest r within that is taken, or yy - y^2 /
 * B, which puts all the blame on y, if it is smaller. */
static double alone_sd(const struct totals *totals, uint64_t y, u128 yy)
{
    if (totals->batches < 2 || !totals->time)
        return INFINITY;
    double b = (double)totals->batches, x = (double)totals->time, xx = (double)totals->time_xx;
    double q = (double)y / x;
    double blame = fmax((double)yy - (double)y * (double)y / b, 0);
    double noise = fmax(q * q * (xx - x * x / b) / b, 0);
    double root = sqrt(noise) + sqrt(fmax(noise + (double)yy - q * q * xx, 0));
    return sqrt(b / (b - 1) * fmin(root * root, blame));
}

/* ---- what all batches have in common
 *
 * Windows are weighed by rates that were measured on copies of the code, and copies do not slow all
 * code alike: weights are wrong by a part that no number of windows removes. Where windows differ
 * much in what they hold this moves figures much, where they are alike less: like chance, which is
 * known. So chance is taken as if no more than so many windows could be had. Trails last equally
 * long, but are wrong about how long that is, in each kind of code by another part: besides,
 * each count is off by a part of itself, however many trails there are; probabilities of branches
 * by more. How many, which part, and how far the number of all instructions is off, was
 * fitted to runs of bench programs against exact ones (docs/experiments/weights.md). */
enum { WINDOWS_SHARE = 20, TRAILS_SHARE = 600, WINDOWS_TAKEN = 1500 };
static const double TRAILS_SD = 0.1, TAKEN_SD = 0.15, SCALE_SD = 0.25;

/* True if trails counted, and so many that some were long. */
static bool by_trails(const struct totals *totals)
{
    return totals->user_ticks && totals->long_trails;
}

/* 0: not known. */
static double tsc_hz(const struct profile *profile)
{
    const char *hertz = profile_fact_find(profile, "tsc_hz");
    return hertz ? strtod(hertz, NULL) : 0;
}

/* Where trails count, the number of all instructions rests on the rates of long ones: on how far
 * these differ, and on what is known about the cost of warm copies. With few of them, half of it is
 * what is usual for such code, which may be far off (collect/totals.c). What makes usual trails
 * slow, as a large cache that copies do not fit in, slows long ones a little, too. And where
 * trails copied much code for each instruction that they executed, they were in code that they met
 * for the first time, again and again: of the program's rate they know next to nothing. */
static double scale_sd(const struct profile *profile)
{
    const struct totals *totals = &profile->totals;
    const double copies = 0.12, usual = 0.25, few = 1, cold = 0.1, least = 0.15, much_ns = 1.5;
    if (!totals->user_ticks)
        return 0; /* they are not scaled: instructions_total */
    if (!totals->recorded)
        return SCALE_SD;
    double n = (double)totals->long_trails, mean = (double)totals->long_rates / fmax(n, 1);
    double spread = n > 1 ? (double)totals->long_rates_yy / n - mean * mean : 0;
    double chance = n > 1 && mean > 0 ? sqrt(fmax(spread, 0) / (n - 1)) / mean : usual;
    chance = fmax(chance, least / sqrt(fmax(n, 1))); /* a few may be alike by chance */
    double native = (double)totals->user_ns / 1e9 * tsc_hz(profile);
    double slower = native > 0 ? fmax((double)totals->user_ticks / native - 1, 0) : 0;
    double copying = (double)totals->translate_ns / fmax((double)totals->instructions, 1) / much_ns;
    double known = hypot(hypot(copies, cold * slower), pow(copying, 1.5));
    return hypot(known, hypot(n * chance, few * usual) / (n + few));
}

/* Branch records of hardware have no rates, and no clock. */
static double widened(const struct totals *totals, double windows)
{
    if (!totals->user_ticks)
        return 1;
    return sqrt(1 + (double)totals->windows / windows);
}

/* What is wrong with the weight of code beside the weight of all other code moves its share: the
 * larger the part that it has, the less. */
static double trails_sd(const struct totals *totals, double share, double sd)
{
    return by_trails(totals) && share < 1 ? sd * share * (1 - share) : 0;
}

struct estimate estimate_raise(struct estimate estimate, double by, double most)
{
    if (estimate.hi + by < most)
        estimate.hi += by;
    else if (estimate.hi < most) /* false where nothing is known */
        estimate.hi = most;
    return estimate;
}

struct quantity quantity_of(const struct profile *profile, const struct sums *sums)
{
    struct quantity quantity = {.count = sums->count};
    const struct totals *totals = &profile->totals;
    if (profile->mode == PROFILE_EXACT)
        return quantity;
    quantity.count_sd = ratio_sd(totals->batches, sums->count, totals->count, sums->count_yy,
                                 sums->count_xy, totals->count_xx);
    quantity.alone_sd = alone_sd(totals, sums->count, sums->count_yy);
    if (by_trails(totals)) /* long ones know how much ran in all, whatever a batch has counted */
        quantity.alone_sd = ((double)totals->long_trails * quantity.count_sd + quantity.alone_sd) /
                            ((double)totals->long_trails + 1);
    double wider = widened(totals, by_trails(totals) ? TRAILS_SHARE : WINDOWS_SHARE);
    quantity.count_sd *= wider;
    quantity.alone_sd *= wider;
    return quantity;
}

void quantity_add(struct quantity *quantity, const struct quantity *more)
{
    quantity->count += more->count;
    quantity->time += more->time;
    quantity->bare += more->bare;
    quantity->count_sd += more->count_sd;
    quantity->alone_sd += more->alone_sd;
}

void quantity_subtract(struct quantity *quantity, const struct quantity *less)
{
    quantity->count -= less->count < quantity->count ? less->count : quantity->count;
    quantity->time -= less->time < quantity->time ? less->time : quantity->time;
    quantity->bare -= less->bare < quantity->bare ? less->bare : quantity->bare;
    quantity->count_sd += less->count_sd;
    quantity->alone_sd += less->alone_sd;
}

/* A share of a batch lies between 0 and 1, so its mean cannot vary more than a coin's that falls
 * R : 1 - R once a batch. This caps what adding deviations gives. */
static double share_sd(uint64_t batches, uint64_t y, double sd, uint64_t x, u128 xx)
{
    double b = (double)batches, r = (double)y / (double)x;
    double coin = r < 1 ? sqrt(b / (b - 1) * r * (1 - r) * (double)xx) / (double)x : 0;
    return fmin(sd / (double)x, coin);
}

static struct estimate interval(double value, double sd, uint64_t batches)
{
    double half = student_t(batches ? batches - 1 : 0) * sd;
    if (batches < 2)
        return (struct estimate){value, NAN, NAN};
    return (struct estimate){value, fmax(value - half, 0), value + half};
}

/* The same of what trails counted. What few batches have seen may be much more, but cannot be less
 * than nothing: as if it were a number of rare events with that chance. */
static struct estimate skewed(const struct totals *totals, double value, double chance_sd,
                              double common_sd)
{
    struct estimate estimate = interval(value, hypot(chance_sd, common_sd), totals->batches);
    if (!by_trails(totals) || !(value > 0) || totals->batches < 2)
        return estimate;
    double n = fmin(fmax(value * value / (chance_sd * chance_sd), 1), 1e6);
    double more = value * (poisson_number(n).hi / n - 1);
    double hi = value + hypot(more, student_t(totals->batches - 1) * common_sd);
    estimate.hi = fmax(estimate.hi, hi);
    return estimate;
}

/* Wilson's lower end is too high when only one, two or three are seen: a share so small that it
 * shows up by luck would lie below it. There the Poisson's own 5 % quantile stands in. 1: none
 * needed. */
static double few_low(double k, double n)
{
    static const double poisson[] = {0, 0.05129, 0.35536, 0.81769};
    double seen = k > 0 ? k + 0.5 : 0; /* rounding may leave a difference below 0 */
    return seen < sizeof poisson / sizeof *poisson ? poisson[(int)seen] / n : 1;
}

struct estimate binomial_share(double k, double n)
{
    const double z = 1.959964;
    double p = k / n, middle = (p + z * z / (2 * n)) / (1 + z * z / n);
    double half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n);
    double lo = fmin(fmax(middle - half, 0), few_low(k, n));
    double hi = fmax(fmin(middle + half, 1), 1 - few_low(n - k, n));
    return (struct estimate){p, fmin(lo, p), fmax(hi, p)};
}

/* Samples of unequal weight tell as much as so many equal ones. */
static double samples_worth(const struct totals *totals)
{
    double sum = (double)totals->sampled_ns, squares = (double)totals->sampled_xx;
    return totals->sampled_xx ? sum * sum / squares : (double)totals->samples;
}

/* How many samples there would be if all weighed as those of this code do. What only the kernel has
 * sampled is known by few and heavy ones, and all else is none the worse for it. */
static double samples_alike(const struct totals *totals, const struct quantity *quantity)
{
    double all = (double)totals->sampled_ns, worth = samples_worth(totals);
    double bare_ns = (double)totals->bare_ns, squares = (double)totals->sampled_xx;
    double bare_squares = (double)totals->bare_xx, rest = all - bare_ns;
    if (!totals->bare_xx || !totals->sampled_xx || !quantity->time || !(rest > 0))
        return worth;
    double part = fmin((double)quantity->bare / (double)quantity->time, 1);
    double agents = fmax(squares - bare_squares, 0) / rest, kernels = bare_squares / bare_ns;
    double weight = part * kernels + (1 - part) * agents;
    return weight > 0 ? fmax(all / weight, 1) : worth;
}

static struct estimate time_share(const struct totals *totals, const struct quantity *quantity)
{
    double all = (double)totals->sampled_ns, share = all > 0 ? (double)quantity->time / all : 0;
    if (!totals->samples)
        return (struct estimate){NAN, NAN, NAN};
    double n = samples_alike(totals, quantity);
    return binomial_share(fmin(share, 1) * n, n);
}

struct estimate estimate_share(const struct profile *profile, const struct quantity *quantity,
                               bool time)
{
    const struct totals *totals = &profile->totals;
    if (profile->mode == PROFILE_EXACT) {
        double n = (double)totals->instructions;
        double share = time || !totals->instructions ? 0 : (double)quantity->count / n;
        return (struct estimate){share, share, share};
    }
    if (time)
        return time_share(totals, quantity);
    if (!totals->count)
        return (struct estimate){0, 0, 0};
    double sd = share_sd(totals->batches, quantity->count, quantity->count_sd, totals->count,
                         totals->count_xx);
    double part = (double)quantity->count / (double)totals->count;
    struct estimate share = skewed(totals, part, sd, trails_sd(totals, part, TRAILS_SD));
    if (share.hi > 1) /* false where nothing is known */
        share.hi = fmax(share.value, 1);
    return share;
}

/* Instructions in all. Without a clock nothing is known beyond the windows themselves. */
static double instructions_total(const struct totals *totals)
{
    if (!totals->count || !totals->time)
        return 0;
    if (!totals->user_ticks)
        return (double)totals->instructions;
    double rate = (double)totals->count / (double)totals->time / (1 << RATE_BITS);
    return (double)totals->user_ticks * rate;
}

uint64_t estimate_one(const struct profile *profile)
{
    double total = profile->mode == PROFILE_SAMPLED ? instructions_total(&profile->totals) : 0;
    double one = total > 0 ? (double)profile->totals.count / total : 1;
    return one > 1 ? (uint64_t)(one + 0.5) : 1;
}

/* What was counted is certain. Where inference had to change it, the interval says how much. */
static struct estimate exact_interval(double value, double sd)
{
    return (struct estimate){value, fmax(value - 2 * sd, 0), value + 2 * sd};
}

struct estimate estimate_count(const struct profile *profile, const struct quantity *quantity)
{
    const struct totals *totals = &profile->totals;
    double exact = (double)quantity->count;
    if (profile->mode == PROFILE_EXACT)
        return exact_interval(exact, quantity->alone_sd);
    double total = instructions_total(totals);
    if (!quantity->count || total == 0)
        return (struct estimate){0, 0, 0};
    double scale = total / (double)totals->count;
    double common = hypot(scale_sd(profile), by_trails(totals) ? TRAILS_SD : 0);
    return skewed(totals, exact * scale, quantity->alone_sd * scale, common * exact * scale);
}

struct estimate estimate_time(const struct profile *profile, const struct quantity *quantity)
{
    struct estimate share = estimate_share(profile, quantity, true);
    double seconds = (double)profile->totals.user_ns / 1e9;
    return (struct estimate){share.value * seconds, share.lo * seconds, share.hi * seconds};
}

struct estimate estimate_part(const struct profile *profile, const struct quantity *part,
                              const struct quantity *rest)
{
    double own = (double)part->count, others = (double)rest->count, all = own + others;
    if (all == 0)
        return (struct estimate){NAN, NAN, NAN};
    double share = own / all;
    if (profile->mode == PROFILE_EXACT)
        return (struct estimate){share, share, share};
    if (profile->totals.batches < 2)
        return (struct estimate){share, NAN, NAN};
    double sd = (others * part->alone_sd + own * rest->alone_sd) / (all * all);
    sd = hypot(sd, trails_sd(&profile->totals, share, TAKEN_SD));
    double half = student_t(profile->totals.batches - 1) * sd;
    return (struct estimate){share, fmax(share - half, 0), fmin(share + half, 1)};
}

struct estimate estimate_quotient(const struct profile *profile, const struct quantity *of,
                                  const struct quantity *to)
{
    double x = (double)of->count, y = (double)to->count, quotient = x / y;
    if (profile->mode == PROFILE_EXACT)
        return (struct estimate){quotient, quotient, quotient};
    double sd = x > 0 ? quotient * hypot(of->alone_sd / x, to->alone_sd / y) : 0;
    return interval(quotient, sd, profile->totals.batches);
}

/* No batch may differ from the others by chance, where few executions were seen or all went one
 * way: the interval is never narrower than that of so many throws of a coin. */
static struct estimate taken_interval(const struct totals *totals, double share, double half,
                                      double executions)
{
    double passages = executions * (double)totals->instructions / (double)totals->count;
    struct estimate coin = binomial_share(share * passages, fmax(passages, 1));
    return (struct estimate){share, fmax(fmin(share - half, coin.lo), 0),
                             fmin(fmax(share + half, coin.hi), 1)};
}

struct estimate estimate_taken(const struct profile *profile, const struct sums *taken,
                               const struct sums *fallen)
{
    const struct totals *totals = &profile->totals;
    double t = (double)taken->count, f = (double)fallen->count, all = t + f, share = t / all;
    if (all == 0)
        return (struct estimate){NAN, NAN, NAN};
    if (profile->mode == PROFILE_EXACT)
        return (struct estimate){share, share, share};
    if (totals->batches < 2 || !totals->count)
        return (struct estimate){share, NAN, NAN};
    if (fabs((double)fallen->time - all) > 1e-6 * all) {
        struct quantity part = quantity_of(profile, taken), rest = quantity_of(profile, fallen);
        return estimate_part(profile, &part, &rest);
    }
    double tt = (double)taken->count_yy, nn = (double)fallen->time_yy;
    double tn = (nn + tt - (double)fallen->count_yy) / 2;
    double residual = fmax(tt - 2 * share * tn + share * share * nn, 0);
    /* As many batches as say something of the branch: those that it is spread over. */
    double b = fmin(all * all / nn, (double)totals->batches);
    uint64_t degrees = b < 2 ? 1 : (uint64_t)(b + 0.5);
    double half = student_t(degrees) * sqrt(b / fmax(b - 1, 0.5) * residual) / all *
                  widened(totals, WINDOWS_TAKEN);
    half = hypot(half, student_t(degrees) * trails_sd(totals, share, TAKEN_SD));
    return taken_interval(totals, share, half, all);
}

/* The cube root of chi squared is nearly normal. */
static double chi_squared_half(double n, double deviations)
{
    double root = 1 - 1 / (9 * n) + deviations / (3 * sqrt(n));
    return n > 0 && root > 0 ? n * root * root * root : 0;
}

struct estimate poisson_number(double n)
{
    const double z = 1.959964;
    return (struct estimate){n, chi_squared_half(n, -z), chi_squared_half(n + 1, z)};
}

/* The two are seen by different means, so they err apart from each other. */
/* Eight instructions a cycle, at twice the pace of the time stamp counter: nothing runs faster, so
 * less time per instruction means that one of the two is wrong. */
static const double CPI_LEAST = 1.0 / 16;

struct estimate estimate_cpi(const struct profile *profile, const struct quantity *quantity)
{
    double hertz = tsc_hz(profile);
    struct estimate time = estimate_time(profile, quantity),
                    count = estimate_count(profile, quantity);
    if (profile->mode != PROFILE_SAMPLED || !hertz || !(time.value > 0) || !(count.value > 0))
        return (struct estimate){NAN, NAN, NAN};
    double cpi = time.value * hertz / count.value;
    if (cpi < CPI_LEAST)
        return (struct estimate){NAN, NAN, NAN};
    double less = hypot(1 - time.lo / time.value, 1 - count.value / count.hi);
    double more = hypot(time.hi / time.value - 1, count.value / count.lo - 1);
    return (struct estimate){cpi, cpi * fmax(1 - less, 0), cpi * (1 + more)};
}

bool cpi_known(struct estimate cpi)
{
    return cpi.hi - cpi.lo < cpi.value;
}
