#include "analysis/report/context_ticks.h"

#include "profile/profile.h"

#include <math.h>

/* No stay takes less than this part of what was measured. */
#define LEAST 0.125
/* Two wrong guesses, and what two fences keep from going on, take no more. */
#define LOOK_MOST 128.0
/* A stay overlaps with its neighbours by no more: about what memory takes, and finding out where it
 * is. */
#define OVERLAP_MOST 1024.0
/* One of the stays measured had an interrupt of the kernel's in it, perhaps, or another thread: the
 * agent looks only into those that last longer. */
#define DISTURBED 65536.0
/* A stay of more ticks on the mean is long. */
#define LONG 65536.0

static double stays_of(const struct stacks *stacks, uint32_t node)
{
    struct stack_cell key = {.node = node, .group = STACK_VISITS};
    uint32_t at = map_find(&stacks->cells, &key);
    return at == MAP_NONE ? 0 : (double)stacks->weights.at[at];
}

static double ticks_left(const struct context_clock *clock, double ticks, double stays)
{
    if (ticks >= LONG * stays)
        return ticks;
    return fmax(ticks - clock->look * stays, LEAST * ticks);
}

uint64_t context_clock_weight(const struct context_clock *clock, const struct profile *profile,
                              uint32_t i)
{
    const struct stacks *stacks = &profile->stacks;
    const struct stack_cell *cell = map_key(&stacks->cells, i);
    uint64_t weight = stacks->weights.at[i];
    if (cell->group != STACK_TICKS || !(clock->look > 0))
        return weight;
    return (uint64_t)round(ticks_left(clock, (double)weight, stays_of(stacks, cell->node)));
}

struct estimate context_clock_estimate(const struct context_clock *clock, double ticks,
                                       double stays, double half)
{
    double alone = ticks + clock->look * stays;
    double least = fmin(ticks, alone - fmin(OVERLAP_MOST * stays, clock->over));
    if (stays > 0)
        least -= DISTURBED;
    return (struct estimate){ticks, fmax(0, floor(least - half)), ceil(alone + half)};
}

/* ---- what is taken off */

/* With as much taken off each as overlapping may save. */
static double ticks_least(const struct profile *profile)
{
    const struct stacks *stacks = &profile->stacks;
    double sum = 0;
    for (uint32_t i = 0; i < stacks->cells.n; i++) {
        const struct stack_cell *cell = map_key(&stacks->cells, i);
        if (cell->group == STACK_TICKS)
            sum += fmax(0, (double)stacks->weights.at[i] -
                               OVERLAP_MOST * stays_of(stacks, cell->node));
    }
    return sum;
}

static double ticks_sum(const struct context_clock *clock, const struct profile *profile,
                        bool of_long)
{
    const struct stacks *stacks = &profile->stacks;
    double sum = 0;
    for (uint32_t i = 0; i < stacks->cells.n; i++) {
        const struct stack_cell *cell = map_key(&stacks->cells, i);
        double ticks = (double)stacks->weights.at[i];
        if (cell->group != STACK_TICKS)
            continue;
        double stays = stays_of(stacks, cell->node);
        if ((ticks >= LONG * stays) == of_long)
            sum += ticks_left(clock, ticks, stays);
    }
    return sum;
}

static bool some_measured(const struct stacks *stacks)
{
    for (uint32_t i = 0; i < stacks->cells.n; i++)
        if (((const struct stack_cell *)map_key(&stacks->cells, i))->group == STACK_VISITS)
            return true;
    return false;
}

/* The program's, the kernel's part among it: a stay may be in the kernel. What making code took is
 * ours. */
static double cpu_ticks(const struct totals *totals)
{
    double user = (double)totals->user_ns, kernel = (double)totals->kernel_ns;
    double ours = fmin(fmax((double)totals->agent_ns, (double)totals->translate_ns), user);
    return user > 0 ? (double)totals->user_ticks * (user - ours + kernel) / user : 0;
}

/* The CPU time is known no better: the kernel counts in ticks of its own, and not all that is ours
 * is known. */
static double cpu_slack(const struct totals *totals, double cpu)
{
    const double part = 0.03, seconds = 0.01;
    return part * cpu + seconds * (double)totals->user_ticks * 1e9 / (double)totals->user_ns;
}

/* What is taken off each stay, so that short ones have no more than that. */
static double look_find(const struct profile *profile, double wanted)
{
    enum { STEPS = 30 };
    double low = 0, high = LOOK_MOST;
    for (int i = 0; i < STEPS; i++) {
        struct context_clock clock = {.look = (low + high) / 2};
        if (ticks_sum(&clock, profile, false) > wanted)
            low = clock.look;
        else
            high = clock.look;
    }
    return (low + high) / 2;
}

struct context_clock context_clock_find(const struct profile *profile)
{
    struct context_clock clock = {0};
    if (profile->mode != PROFILE_EXACT || !some_measured(&profile->stacks))
        return clock;
    double cpu = cpu_ticks(&profile->totals), lasting = ticks_sum(&clock, profile, true);
    double brief = ticks_sum(&clock, profile, false), all = lasting + brief;
    clock.least = ticks_least(profile);
    if (!(cpu > 0)) {
        clock.over = INFINITY;
        clock.brief = true;
        return clock;
    }
    double slack = cpu_slack(&profile->totals, cpu);
    clock.raw = all / cpu;
    clock.brief = slack > cpu / 2;
    clock.over = fmax(all - cpu, 0) + slack;
    if (lasting < cpu && all > cpu) {
        clock.look = look_find(profile, cpu - lasting);
        all = cpu;
    }
    clock.least = fmin(fmax(clock.least, all - slack), all);
    return clock;
}
