#include "agent/sampling/budget.h"

#include "agent/base/clock.h"
#include "agent/base/process.h"
#include "agent/base/thread.h"

enum {
    DEFAULT_WINDOW = 32000,
    VALUE_WINDOW = 2000, /* instructions that lie together see the same values again */
    ADDRESS_WINDOW =
        8000,          /* and pairs of them, as of those that take and release a lock, lie apart */
    VALUE_WINDOWS = 2, /* in one walk: measured, docs/PERFORMANCE.md */
    WINDOW_MAX = 24 * DEFAULT_WINDOW,
    WINDOW_STEP = 16, /* windows become longer or shorter by a part of this many */
    DEFAULT_TRAIL = 200000,
    TRAIL_ALWAYS = 24,
    TRAIL_SHARE_PPM = 120000, /* of the rest of a sample's cost, on the average */
    LONG_SHARE_PPM = 60000,
    LONG_TIMES = 8, /* as long as others */
    PERIOD_MIN_NS = 100 * 1000,
    PERIOD_MAX_NS = 200 * 1000 * 1000,
    MEAN_SHIFT = 4,                    /* weight of a new observation in running means: 1/16 */
    COPIES_FREE_NS = 15 * 1000 * 1000, /* of copying code: start-up, which is told apart */
    TOOL_NS_PER_THOUSAND = 600,        /* as if so much had been seen of the tool already: */
    TOOL_FIRST = 1000,                 /* thousands of instructions */
    SEEN_NS_PER_THOUSAND = 1000,       /* what a window costs by its length, here and in the tool */
    PAYLOAD_NS_PER_THOUSAND = 8000,    /* the same, with a payload */
    SEEN_SHARE = 5,                    /* one part of so many of a sample's cost, if that is more */
    WINDOW_DEAR_MAX = 4 * DEFAULT_WINDOW,
    KEPT = 6, /* one part of so many of the budget */
    KEPT_TIMING = 3,
};

void budget_init(void)
{
    const struct record_options *options = &agent.options;
    uint32_t suits = options->events & EVENTS_ADDRESS   ? ADDRESS_WINDOW
                     : options->events & EVENTS_PAYLOAD ? VALUE_WINDOW
                                                        : DEFAULT_WINDOW;
    agent.window = options->window ? options->window : suits;
    agent.windows = suits == VALUE_WINDOW ? VALUE_WINDOWS : 1;
    agent.trail = options->trail ? options->trail : DEFAULT_TRAIL;
    agent.tick_ns = agent_tick_ns();
    agent.channel->window = agent.window;
    agent.channel->trail = agent.trail;
    /* Soon replaced by what walks really cost. */
    uint64_t rest = 2 * agent.means.entry_ticks + 15 * agent.ticks_per_ms / 1000;
    uint64_t trail = 30 * agent.ticks_per_ms / 1000;
    agent.means = (struct means){.entry_ticks = agent.means.entry_ticks,
                                 .window = agent.window,
                                 .insns_per_exit_q8 = 12 << 8,
                                 .rest_ticks = rest,
                                 .trail_ticks = trail,
                                 .long_ticks = LONG_TIMES * trail,
                                 .cost_ticks = rest + trail};
}

/* The tool's CPU time for this process: ns for a thousand recorded instructions. It comes in lumps,
 * so it is the mean of the whole run. */
static uint64_t tool_ns_per_thousand(void)
{
    uint64_t used = __atomic_load_n(&agent.channel->tool_cpu_ns, __ATOMIC_RELAXED);
    uint64_t recorded = __atomic_load_n(&agent.channel->instructions, __ATOMIC_RELAXED) / 1000;
    return (used + TOOL_FIRST * TOOL_NS_PER_THOUSAND) / (recorded + TOOL_FIRST);
}

/* Ticks beyond what the instructions would have taken natively. */
static uint64_t net_ticks(const struct means *means, uint64_t ticks, uint64_t instructions)
{
    uint64_t native = instructions * means->ticks_per_insn_q16 >> 16;
    return ticks > native ? ticks - native : 0;
}

/* An observation at most doubles a mean: a walk that lost its CPU costs what others do. */
static void mean_move(uint64_t *mean, uint64_t seen)
{
    seen = seen > 2 * *mean ? 2 * *mean : seen;
    *mean += (seen >> MEAN_SHIFT) - (*mean >> MEAN_SHIFT);
}

/* The median, approached by steps: an interrupt in the kernel comes late by the kernel's work. */
void budget_entered(struct thread *thread, uint64_t late_ns)
{
    uint64_t late = late_ns * agent.ticks_per_ms / 1000000, *median = &thread->means.entry_ticks;
    uint64_t step = (*median >> MEAN_SHIFT) + 1;
    if (late > *median)
        *median += step;
    else
        *median -= step < *median ? step : *median;
}

/* Calibration has warm caches, real interrupts do not: the difference is what the kernel and the
 * handler must fetch again because the program evicted it. The program loses about as much to them.
 */
uint64_t budget_interrupt_ticks(const struct thread *thread)
{
    uint64_t entry = thread->means.entry_ticks, warm = agent.channel->delivery_ticks;
    bool timer = thread->perf_fd < 0; /* nothing tells how late it comes, and it comes from afar */
    entry += timer ? 2 * warm : 0;
    return entry > warm ? 2 * entry - warm : warm;
}

void budget_spend(struct thread *thread, const struct sample_cost *cost)
{
    struct means *means = &thread->means;
    /* The trail is timed by the clock, which others may have moved on. */
    uint64_t timed =
        cost->trail_ticks < cost->handler_ticks ? cost->trail_ticks : cost->handler_ticks;
    uint64_t rest = cost->handler_ticks - timed;
    uint64_t copied = cost->copy_ticks < rest ? cost->copy_ticks : rest;
    uint64_t trail = net_ticks(means, timed, cost->trail_instructions);
    rest = net_ticks(means, rest - copied, cost->instructions - cost->trail_instructions);
    rest += budget_interrupt_ticks(thread); /* whatever was walked, this is not the program's */
    mean_move(&means->rest_ticks, rest);
    if (cost->trail_ticks)
        mean_move(cost->is_long ? &means->long_ticks : &means->trail_ticks, trail);
    mean_move(&means->cost_ticks, rest + trail);
    agent_add(&agent.copied_ns, copied * 1000000 / agent.ticks_per_ms);
    if (__atomic_load_n(&agent.copied_ns, __ATOMIC_RELAXED) < COPIES_FREE_NS)
        copied = 0;
    agent_add(&agent.spent_ns, (rest + trail + copied) * 1000000 / agent.ticks_per_ms);
}

/* Copies are slower than the program, and short trails have cold caches: the program's speed is
 * taken as three quarters of a trail's, by short ones only until there was a long one. */
void budget_timed(struct thread *thread, uint64_t ticks_per_insn_q16)
{
    struct means *means = &thread->means;
    bool is_long = thread->progress.cost.is_long;
    uint64_t seen = ticks_per_insn_q16 - (ticks_per_insn_q16 >> 2);
    if (means->ticks_per_insn_q16 == 0 || (is_long && means->long_trails == 0))
        means->ticks_per_insn_q16 = seen;
    else if (is_long || means->long_trails == 0)
        means->ticks_per_insn_q16 += (seen >> 3) - (means->ticks_per_insn_q16 >> 3);
    means->long_trails += is_long;
}

/* Whether to spend so many ticks, if that may be a share of the rest on the average. */
static bool affords(struct thread *thread, uint64_t ticks, uint64_t share_ppm)
{
    uint64_t chance = thread->means.rest_ticks * share_ppm / 1000000 * 0x10000;
    return (thread_random(thread) & 0xffff) * (ticks + 1) < chance;
}

uint32_t budget_trail(struct thread *thread, bool *ret_long)
{
    *ret_long = !agent.options.trail && affords(thread, thread->means.long_ticks, LONG_SHARE_PPM);
    if (*ret_long)
        return LONG_TIMES * agent.trail;
    /* At first every walk is timed: the tool has no rates yet to go by. */
    bool first = thread->means.walks < TRAIL_ALWAYS;
    return first || affords(thread, thread->means.trail_ticks, TRAIL_SHARE_PPM) ? agent.trail : 0;
}

/* The budget in force. Costs are known to about a sixth, so that much is kept back; with latencies,
 * where four fifths of the measured cost were known, a third. What was overspent, as when all code
 * was new, is saved in the next second of CPU time or so; what was saved can be spent. */
static uint64_t budget_ppm(void)
{
    uint64_t kept_back = agent.options.events & EVENTS_LATENCY ? KEPT_TIMING : KEPT;
    uint64_t ppm = agent.options.overhead_ppm - agent.options.overhead_ppm / kept_back;
    uint64_t ran = __atomic_load_n(&agent.ran_ns, __ATOMIC_RELAXED);
    uint64_t spent = __atomic_load_n(&agent.spent_ns, __ATOMIC_RELAXED) +
                     __atomic_load_n(&agent.channel->tool_cpu_ns, __ATOMIC_RELAXED);
    uint64_t allowed = ran / 1000 * ppm / 1000, second = ppm * 1000;
    uint64_t most = ppm + ppm / 4, least = ppm / 4;
    uint64_t left = allowed + second > spent ? allowed + second - spent : 0;
    uint64_t now = ppm * (left < 2 * second ? left : 2 * second) / second;
    return now > most ? most : now < least ? least : now;
}

static uint64_t mean_ns(const struct thread *thread)
{
    if (agent.options.fixed_hz)
        return 1000000000 / agent.options.fixed_hz;
    uint64_t cost_ns = thread->means.cost_ticks * 1000000 / agent.ticks_per_ms +
                       tool_ns_per_thousand() * thread->means.window * agent.windows / 1000;
    uint64_t mean = cost_ns * 1000000 / budget_ppm();
    return mean < PERIOD_MIN_NS ? PERIOD_MIN_NS : mean > PERIOD_MAX_NS ? PERIOD_MAX_NS : mean;
}

/* Where interrupt and cold copies make a sample expensive, a longer window costs little more and
 * sees more. Not with values: each costs as much as the first. */
static void window_suit(struct means *means)
{
    if (agent.options.window || agent.options.fixed_hz || agent.window == VALUE_WINDOW)
        return;
    uint64_t cost_ns = means->cost_ticks * 1000000 / agent.ticks_per_ms;
    uint64_t each =
        agent.options.events & EVENTS_PAYLOAD ? PAYLOAD_NS_PER_THOUSAND : SEEN_NS_PER_THOUSAND;
    uint64_t suits = cost_ns * 1000 / SEEN_SHARE / each;
    suits = suits < agent.window ? agent.window : suits > WINDOW_DEAR_MAX ? WINDOW_DEAR_MAX : suits;
    means->window = (means->window * (WINDOW_STEP - 1) + suits) / WINDOW_STEP;
}

/* A timer fires at the first kernel tick after its time. What the budget allows beyond a walk at
 * each tick goes into longer windows. */
static uint64_t next_tick_ns(struct thread *thread, uint64_t mean)
{
    struct means *means = &thread->means;
    uint64_t step = means->window / WINDOW_STEP;
    bool governed = !agent.options.window && !agent.options.fixed_hz;
    if (governed && mean < agent.tick_ns && means->window + step <= WINDOW_MAX)
        means->window += step;
    else if (governed && mean > agent.tick_ns * 5 / 4 && means->window - step >= agent.window)
        means->window -= step;
    return mean > agent.tick_ns ? mean - agent.tick_ns / 2 : agent.tick_ns / 2;
}

uint64_t budget_next_ns(struct thread *thread)
{
    uint64_t mean = mean_ns(thread);
    if (thread->perf_fd < 0)
        mean = next_tick_ns(thread, mean);
    else
        window_suit(&thread->means);
    agent.channel->period_ns = thread->period_ns = mean;
    /* Uniform in [3/4, 5/4): no program can run in step with it, and phases get their share. */
    return mean * 3 / 4 + (thread_random(thread) & 0xffff) * (mean / 2) / 0x10000;
}

uint64_t budget_first_ns(struct thread *thread)
{
    thread->period_ns = mean_ns(thread);
    return 1 + (thread_random(thread) & 0xffff) * thread->period_ns / 0x10000;
}

uint32_t budget_window_exits(const struct thread *thread)
{
    /* Zero before the first budget_init: nothing may divide by it. */
    uint64_t each = thread->means.insns_per_exit_q8 > 256 ? thread->means.insns_per_exit_q8 : 256;
    uint64_t exits = (thread->means.window << 8) / each;
    return (uint32_t)(exits < 1 ? 1 : exits > CONTEXT_RECORDS ? CONTEXT_RECORDS : exits);
}
