#include "collect/totals.h"

#include "collect/kernel_part.h"
#include "collect/target/cpu_times.h"
#include "profile/sums.h"

#include <math.h>

enum { LONG_FEW = 1, USUAL_VARIETY = 2000 };

/* A program that another one started without the agent, or threads that came and went before they
 * were found, are seen by their time alone. What recorded threads used after their last sample is
 * not known: as much as that is let pass. */
static bool time_missing(const struct drain *drain, uint64_t all_ns, uint64_t recorded_ns)
{
    const uint64_t each_ns = 4 * (drain->first.period_ns + 5000000), least_ns = 200000000;
    uint64_t missing = all_ns > recorded_ns ? all_ns - recorded_ns : 0;
    uint64_t processes = drain->met > drain->processes ? drain->met : drain->processes;
    return missing > all_ns / 10 && missing > least_ns && missing > processes * each_ns;
}

/* Threads and children that were not walked have used time that no window speaks for, and so has
 * all that ran before a delay was over. */
static void leave_unwalked(struct totals *totals, const struct drain *drain, uint64_t recorded_ns,
                           bool last)
{
    uint64_t all = totals->user_ns + totals->kernel_ns;
    bool delayed = drain->processes && drain->unwatched_ns;
    bool unwalked =
        totals->losses[LOSS_thread_native] || totals->losses[LOSS_child_native] || delayed;
    unwalked |= last && drain->processes && time_missing(drain, all, recorded_ns);
    if (!unwalked || recorded_ns >= all)
        return;
    totals->user_ns = (uint64_t)((u128)totals->user_ns * recorded_ns / all);
    totals->kernel_ns = (uint64_t)((u128)totals->kernel_ns * recorded_ns / all);
}

/* Rates are those of trails, which run slower than native code: on copies, and after an interrupt,
 * before everything that they need is in the caches again. The program's time, told in ticks of
 * trails, is that much longer: so rate times time is what it executed. */
static uint64_t stretch(uint64_t ticks, const struct trail_sum *trails)
{
    if (!trails->rates)
        return ticks;
    return (uint64_t)((double)ticks * (double)trails->native_rates / (double)trails->rates);
}

/* Context switches know the time of all threads, also of those that nobody waited for, but with it
 * what the host of a virtual machine took. So they count only if much is missing otherwise at the
 * end: totals only grow, and children are missing until they are waited for. */
static void all_times(const struct kernel_part *kernel, struct cpu_times *times)
{
    uint64_t all = kernel->user_ns + kernel->kernel_ns, told = times->user_ns + times->kernel_ns;
    if (!kernel_part_times(kernel) || told > all - all / 5)
        return;
    uint64_t user = told ? (uint64_t)((u128)all * times->user_ns / told) : kernel->user_ns;
    *times = (struct cpu_times){.user_ns = user, .kernel_ns = all - user};
}

/* The rate of trails in their copies alone, by their rate: above 1 where much code is new, and
 * trails spend their time in the dispatcher. */
static double faster_in_copies(const struct trail_rates *rates, double told)
{
    if (!rates->in_copies_ticks || told <= 0)
        return 1;
    double rate = ldexp((double)rates->in_copies / (double)rates->in_copies_ticks, RATE_BITS);
    return fmax(rate / told, 1);
}

/* How much slower trails are than long ones usually are, by what ten whole programs say that
 * were counted exactly: a little with much different code, besides what they spend outside of their
 * copies. */
static double slower_usually(const struct trail_rates *rates, uint64_t variety, double told)
{
    double cold = 1 + (double)(variety < UINT16_MAX ? variety : 0) / USUAL_VARIETY;
    return cold * faster_in_copies(rates, told);
}

uint64_t totals_stretch(uint64_t ticks, const struct trail_rates *rates, uint64_t variety)
{
    double told = rates->time ? (double)rates->count / (double)rates->time : 0, n = 0, by = 0;
    if (told > 0 && rates->long_n) {
        n = (double)rates->long_n;
        by = (double)rates->long_rates / n / told;
    }
    double usual = slower_usually(rates, variety, told);
    return (uint64_t)((double)ticks * (n * by + LONG_FEW * usual) / (n + LONG_FEW));
}

/* The mean of all sampled time. */
static uint64_t variety_of(const struct drain_sum *sum)
{
    return sum->sampled_ns ? (uint64_t)(sum->varieties / sum->sampled_ns) : 0;
}

void cpu_times_divide(struct cpu_times *times, double kernel_share, uint64_t samples)
{
    enum { FEW = 16, DEVIATIONS = 3 };
    uint64_t all = times->user_ns + times->kernel_ns;
    if (samples < FEW || !all)
        return;
    double n = (double)samples, told = (double)times->kernel_ns / (double)all;
    double wide = DEVIATIONS * sqrt((kernel_share * (1 - kernel_share) + 1 / n) / n);
    if (fabs(told - kernel_share) <= wide)
        return;
    times->kernel_ns = (uint64_t)((double)all * kernel_share);
    times->user_ns = all - times->kernel_ns;
}

static void divide(const struct kernel_part *kernel, struct cpu_times *times)
{
    uint64_t all = kernel->user_ns + kernel->kernel_ns;
    if (kernel_part_times(kernel) && all)
        cpu_times_divide(times, (double)kernel->kernel_ns / (double)all,
                         kernel->follow.samples.taken);
}

void totals_now(const struct drain *drain, const struct cpu_times *times, bool last,
                struct totals *ret_totals)
{
    struct drain_sum sum;
    drain_sum(drain, last, &sum);
    const struct kernel_part *kernel = drain->session->kernel;
    struct totals totals = sum.totals;
    struct cpu_times all = *times;
    if (kernel && last)
        all_times(kernel, &all);
    if (kernel)
        divide(kernel, &all);
    totals.user_ns = totals.whole_user_ns = all.user_ns;
    totals.kernel_ns = totals.whole_kernel_ns = all.kernel_ns;
    totals.walked_ns = sum.walked_ns;
    if (last && !drain->processes)
        totals.losses[LOSS_no_agent] = 1;
    if (drain->session->options->record.mode == RECORD_SAMPLED)
        leave_unwalked(&totals, drain, sum.recorded_ns, last);
    totals.user_ticks = (uint64_t)((u128)totals.user_ns * drain->first.tsc_hz / 1000000000u);
    if (kernel && kernel_part_times(kernel)) { /* what was not walked was sampled */
        totals.user_ns = all.user_ns;
        totals.kernel_ns = all.kernel_ns;
    }
    if (kernel) {
        sum_add(&totals.agent_ns, kernel->cost_ns);
        sum_add(&totals.delivery_ns, kernel->cost_ns);
    }
    if (last)
        totals.user_ticks = drain->session->options->record.tally
                                ? totals_stretch(totals.user_ticks, &sum.rates, variety_of(&sum))
                                : stretch(totals.user_ticks, &sum.trails);
    totals.long_trails = sum.rates.long_n;
    totals.long_rates = sum.rates.long_rates;
    totals.long_rates_yy = sum.rates.long_rates_yy;
    totals.tool_ns = drain_own_ns(drain);
    totals.once_ns = drain->startup_ns + drain->ending_ns + drain_ahead_ns(drain);
    *ret_totals = totals;
}

static void give(uint64_t *delta, uint64_t *told, uint64_t now)
{
    if (now <= *told)
        return;
    sum_add(delta, now - *told);
    *told = now;
}

/* The sum is right, also if what was told divides it in another way: that can be added to alone. */
static void give_divided(uint64_t *delta[2], uint64_t *told[2], uint64_t user, uint64_t kernel)
{
    uint64_t sum = user + kernel;
    if (sum <= *told[0] + *told[1])
        return;
    user = user < *told[0] ? *told[0] : user;
    user = sum - user < *told[1] ? sum - *told[1] : user;
    give(delta[0], told[0], user);
    give(delta[1], told[1], sum - user);
}

void totals_give(struct totals *delta, struct totals *told, const struct totals *now)
{
    give(&delta->windows, &told->windows, now->windows);
    give(&delta->interrupts, &told->interrupts, now->interrupts);
    give(&delta->instructions, &told->instructions, now->instructions);
    give_divided((uint64_t *[]){&delta->user_ns, &delta->kernel_ns},
                 (uint64_t *[]){&told->user_ns, &told->kernel_ns}, now->user_ns, now->kernel_ns);
    give(&delta->user_ticks, &told->user_ticks, now->user_ticks);
    give(&delta->agent_ns, &told->agent_ns, now->agent_ns);
    give(&delta->tool_ns, &told->tool_ns, now->tool_ns);
    give_divided((uint64_t *[]){&delta->whole_user_ns, &delta->whole_kernel_ns},
                 (uint64_t *[]){&told->whole_user_ns, &told->whole_kernel_ns}, now->whole_user_ns,
                 now->whole_kernel_ns);
    give(&delta->walked_ns, &told->walked_ns, now->walked_ns);
    give(&delta->once_ns, &told->once_ns, now->once_ns);
    give(&delta->complete_ns, &told->complete_ns, now->complete_ns);
    give(&delta->delivery_ns, &told->delivery_ns, now->delivery_ns);
    give(&delta->recorded, &told->recorded, now->recorded);
    give(&delta->long_trails, &told->long_trails, now->long_trails);
    give(&delta->long_rates, &told->long_rates, now->long_rates);
    give(&delta->long_rates_yy, &told->long_rates_yy, now->long_rates_yy);
    give(&delta->translate_ns, &told->translate_ns, now->translate_ns);
    for (int i = 0; i < LOSS_N; i++)
        give(&delta->losses[i], &told->losses[i], now->losses[i]);
}
