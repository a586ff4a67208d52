#include "cmd/stat/stat_rows.h"

#include "analysis/pipeline/run_sums.h"
#include "collect/recording.h"

#include <math.h>

static struct estimate known(double value)
{
    return (struct estimate){value, value, value};
}

static struct estimate count_or_unknown(uint32_t n)
{
    return known(n ? (double)n : (double)NAN);
}

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static void usage_fill(struct stat_run *run, const struct rusage *usage, double elapsed)
{
    double user = seconds(usage->ru_utime), kernel = seconds(usage->ru_stime);
    run->at[STAT_ELAPSED] = known(elapsed);
    run->at[STAT_USER] = known(user);
    run->at[STAT_KERNEL] = known(kernel);
    run->at[STAT_CPU] = known(user + kernel);
    run->at[STAT_CPUS] = known(elapsed > 0 ? (user + kernel) / elapsed : (double)NAN);
    run->at[STAT_MINOR] = known((double)usage->ru_minflt);
    run->at[STAT_MAJOR] = known((double)usage->ru_majflt);
    run->at[STAT_VOLUNTARY] = known((double)usage->ru_nvcsw);
    run->at[STAT_INVOLUNTARY] = known((double)usage->ru_nivcsw);
    run->at[STAT_RSS] = known((double)usage->ru_maxrss);
}

void stat_run_fill(struct stat_run *run, const struct recording *recording,
                   const struct run_sums *sums)
{
    const struct recording_kernel *kernel = &recording->kernel;
    usage_fill(run, &recording->usage, (double)recording->ran_ns / 1e9);
    run->at[STAT_PROCESSES] = count_or_unknown(
        kernel->processes > recording->processes ? kernel->processes : recording->processes);
    run->at[STAT_THREADS] = count_or_unknown(kernel->threads);
    run->at[STAT_INSTRUCTIONS] = sums->instructions;
    run->at[STAT_PER_TICK] = sums->per_tick;
    run->at[STAT_BRANCHES] = sums->branches;
    run->at[STAT_CONDITIONAL] = sums->conditional;
    run->at[STAT_TAKEN] = sums->taken;
    run->at[STAT_MISPREDICTED] = sums->mispredicted;
    run->at[STAT_L1D] = sums->l1d_misses;
    run->at[STAT_L2] = sums->l2_misses;
    run->at[STAT_L3] = sums->l3_misses;
    run->at[STAT_SYSCALLS] = sums->syscalls;
}

/* ---- over runs */

struct spread {
    uint32_t n; /* runs in which it is known */
    double mean, sd, half;
};

static struct spread spread_of(const struct stat_run *runs, uint32_t n, uint32_t row)
{
    struct spread spread = {0};
    double sum = 0, halves = 0, squares = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct estimate one = runs[i].at[row];
        if (isnan(one.value))
            continue;
        spread.n++;
        sum += one.value;
        halves += fmax(one.hi - one.value, one.value - one.lo);
    }
    spread.mean = spread.n ? sum / spread.n : (double)NAN;
    spread.half = spread.n ? halves / spread.n : (double)NAN;
    for (uint32_t i = 0; i < n; i++)
        if (!isnan(runs[i].at[row].value))
            squares += pow(runs[i].at[row].value - spread.mean, 2);
    spread.sd = spread.n > 1 ? sqrt(squares / (spread.n - 1)) : (double)NAN;
    return spread;
}

/* Of several runs the interval is that of their mean; but estimates of single runs share an error
 * that no number of runs removes, so it is never less than theirs. */
void stat_result_fill(struct stat_result *result, const struct stat_run *runs, uint32_t n)
{
    result->runs = n;
    for (uint32_t row = 0; row < STAT_N; row++) {
        struct spread spread = spread_of(runs, n, row);
        struct estimate *mean = &result->mean.at[row];
        double half = spread.half;
        if (spread.n > 1)
            half =
                fmax(isnan(half) ? 0 : half, student_t(spread.n - 1) * spread.sd / sqrt(spread.n));
        *mean = (struct estimate){spread.mean, fmax(spread.mean - half, 0), spread.mean + half};
        if (isnan(half))
            mean->lo = mean->hi = NAN;
        if (n == 1) /* both ends of its own interval */
            *mean = runs[0].at[row];
        result->spread[row] = spread.sd;
    }
}
