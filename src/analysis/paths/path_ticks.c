#include "analysis/paths/path_ticks.h"

#include <math.h>

/* No path takes less than this part of what was measured. */
#define LEAST 0.125
/* And, whatever writing it down takes, than this. */
#define LEAST_WRITTEN 0.25
/* Writing a passage down takes a dozen instructions, and waits for what was written before: so many
 * ticks at least, and at most, */
#define WRITING_LEAST 4.0
#define WRITING_MOST 8.0
/* and so many more, and this part of what is taken off, since looking does not take the same
 * everywhere. */
#define LOOK_VARIES 1.0
#define LOOK_VARIES_BY 0.5

/* ---- one path */

static const struct sums *row_find(const struct profile *profile, struct path_key key,
                                   enum path_kind kind)
{
    key.kind = (uint32_t)kind;
    return table_find(&profile->paths, &key);
}

/* Of one passage. */
struct passage {
    double ticks, looks;
};

static struct passage passage_of(const struct sums *measured, const struct sums *looked)
{
    double n = (double)measured->count;
    return (struct passage){(double)measured->time / n, looked ? (double)looked->count / n : 1};
}

static double passage_ticks(const struct passage *passage, const struct path_clock *clock)
{
    double writing = clock->taken * passage->looks;
    double alone = sqrt(fmax(passage->ticks * passage->ticks - writing * writing, 0));
    alone = fmax(alone, LEAST_WRITTEN * passage->ticks);
    return fmax(alone - clock->look * passage->looks, LEAST * passage->ticks);
}

/* Half of the interval of one passage: bursts vary; not a number if there was one. */
static double passage_half(const struct path_clock *clock, const struct passage *passage,
                           const struct sums *measured, const struct sums *looked,
                           const struct sums *bursts)
{
    uint64_t groups = bursts ? bursts->count : 0;
    double n = (double)measured->count;
    double spread = (looked ? (double)looked->time : 0) - passage->ticks * passage->ticks * n;
    if (groups < 2)
        return NAN;
    return student_t(groups - 1) * sqrt(fmax(spread, 0) / (n * (double)(groups - 1))) +
           passage->looks * (LOOK_VARIES + LOOK_VARIES_BY * fabs(clock->look));
}

struct estimate path_clock_ticks(const struct path_clock *clock, const struct profile *profile,
                                 const struct path_key *ran, const struct sums *sums,
                                 uint64_t *ret_measured)
{
    const struct sums *measured = row_find(profile, *ran, PATH_MEASURED);
    const struct sums *looked = row_find(profile, *ran, PATH_LOOKED);
    double count = (double)sums->count, all = (double)sums->time;
    bool each = sums->time || clock->event; /* of every passage */
    *ret_measured = measured ? measured->count : each ? sums->count : 0;
    if (!*ret_measured)
        return (struct estimate){NAN, NAN, NAN};
    if (!measured)
        return (struct estimate){all, all, all};
    struct passage passage = passage_of(measured, looked);
    double ticks = passage_ticks(&passage, clock);
    double least = fmin(ticks, passage.ticks - clock->writing * passage.looks);
    double half =
        passage_half(clock, &passage, measured, looked, row_find(profile, *ran, PATH_BURSTS));
    double most = passage.ticks - clock->look * passage.looks;
    return (struct estimate){count * ticks, count * fmax(least - half, 0),
                             count * (fmax(ticks, most) + half)};
}

/* ---- all */

double path_clock_sum(const struct path_clock *clock, const struct profile *profile)
{
    double sum = 0;
    for (uint32_t i = 0; i < profile->paths.n; i++) {
        const struct path_key *key = map_key(&profile->paths.keys, i);
        const struct sums *sums = &profile->paths.at[i];
        if (key->kind != PATH_RAN)
            continue;
        const struct sums *measured = row_find(profile, *key, PATH_MEASURED);
        if (!measured) {
            sum += (double)sums->time;
            continue;
        }
        struct passage passage = passage_of(measured, row_find(profile, *key, PATH_LOOKED));
        sum += (double)sums->count * passage_ticks(&passage, clock);
    }
    return sum;
}

/* What no passage takes less than, for each look. Only those that are known well say so: bursts
 * hardly tell rare short passages apart from their neighbours, and the fit may leave them nothing.
 */
static double writing_find(const struct profile *profile)
{
    enum { OFTEN = 128 };
    const struct path_clock untouched = {0};
    double least = WRITING_MOST;
    for (uint32_t i = 0; i < profile->paths.n; i++) {
        struct path_key key = *(const struct path_key *)map_key(&profile->paths.keys, i);
        const struct sums *measured = &profile->paths.at[i];
        if (key.kind != PATH_MEASURED || measured->count < OFTEN)
            continue;
        const struct sums *looked = row_find(profile, key, PATH_LOOKED);
        const struct sums *bursts = row_find(profile, key, PATH_BURSTS);
        struct passage passage = passage_of(measured, looked);
        double half = passage_half(&untouched, &passage, measured, looked, bursts);
        if (passage.looks > 0 && half < passage.ticks / 2)
            least = fmin(least, passage.ticks / passage.looks);
    }
    return fmax(least, WRITING_LEAST);
}

/* The program's, along paths. What passed before it began was mostly the kernel's, which made
 * memory. */
static double cpu_ticks(const struct profile *profile)
{
    const struct totals *totals = &profile->totals;
    double along = 0, all = (double)totals->instructions, user = (double)totals->user_ns;
    for (uint32_t i = 0; i < profile->paths.n; i++)
        if (((const struct path_key *)map_key(&profile->paths.keys, i))->kind == PATH_FUNCTION)
            along += (double)profile->paths.at[i].time;
    double share = along > 0 && along < all ? along / all : 1;
    double ours = fmax((double)totals->agent_ns - (double)totals->kernel_ns, 0);
    ours = fmin(ours + (double)totals->translate_ns, user);
    return user > 0 ? (double)totals->user_ticks * (user - ours) / user * share : 0;
}

static bool some_measured(const struct profile *profile)
{
    for (uint32_t i = 0; i < profile->paths.n; i++)
        if (((const struct path_key *)map_key(&profile->paths.keys, i))->kind == PATH_MEASURED)
            return true;
    return false;
}

/* What the sum should be is known no better: the kernel counts in ticks of its own, and what is
 * ours is not all known. */
static double cpu_slack(const struct profile *profile, double cpu)
{
    const double part = 0.03, seconds = 0.01;
    double hz = (double)profile->totals.user_ticks * 1e9 / (double)profile->totals.user_ns;
    return part * cpu + seconds * hz;
}

/* What is to be taken off so that the sum is that: of what writing takes, or for each look. The sum
 * falls with it. */
static double taken_find(const struct profile *profile, const struct path_clock *so_far,
                         bool writing, double wanted)
{
    enum { STEPS = 40, LOOK_MOST = 1 << 16 };
    double low = 0, high = writing ? so_far->writing : LOOK_MOST;
    for (int i = 0; i < STEPS; i++) {
        struct path_clock clock = *so_far;
        *(writing ? &clock.taken : &clock.look) = (low + high) / 2;
        if (path_clock_sum(&clock, profile) > wanted)
            low = (low + high) / 2;
        else
            high = (low + high) / 2;
    }
    return (low + high) / 2;
}

struct path_clock path_clock_find(const struct profile *profile)
{
    struct path_clock clock = {.event = profile_fact_find(profile, "path_metric"),
                               .some = profile->mode == PROFILE_EXACT && some_measured(profile)};
    if (!clock.some)
        return clock;
    double cpu = cpu_ticks(profile), sum = path_clock_sum(&clock, profile);
    double slack = cpu > 0 ? cpu_slack(profile, cpu) : 0;
    clock.raw = cpu > 0 ? sum / cpu : 0;
    clock.brief = slack > cpu / 2 || cpu <= 0;
    clock.writing = writing_find(profile);
    if (clock.brief) {
        clock.taken = clock.writing;
        return clock;
    }
    if (sum > cpu)
        clock.taken = taken_find(profile, &clock, true, cpu);
    if (path_clock_sum(&clock, profile) > cpu + slack)
        clock.look = taken_find(profile, &clock, false, cpu + slack);
    return clock;
}
