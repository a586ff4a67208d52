#include "agent/sampling/budget.h"

#include "agent/base/clock.h"
#include "agent/base/process.h"
#include "agent/base/thread.h"
#include "wire/plain.h"

enum {
    DEFAULT_WINDOW = 32000,
    VALUE_WINDOW = 2000, /* instructions that lie together see the same values again */
    ADDRESS_WINDOW =
        8000,          /* and pairs of them, as of those that take and release a lock, lie apart */
    VALUE_WINDOWS = 2, /* in one walk: measured, docs/PERFORMANCE.md */
    WINDOW_MAX = 24 * DEFAULT_WINDOW,
    WINDOW_STEP = 16, /* windows become longer or shorter by a part of this many */
    TRAIL_NS = 60000, /* of the program's own time */
    TRAIL_MIN_NS = 2000,
    TRAIL_AFTER_PART = 4, /* what a trail costs the program afterwards: a part of what it took */
    TRAIL_ALWAYS = 24,
    TRAIL_SHARE_PPM = 180000,  /* where trails do not count: of the rest of a sample's cost */
    WINDOW_SHARE_PPM = 350000, /* where they do: of the budget, for recorded windows and the tool */
    PAYLOAD_SHARE_PPM = 600000, /* the same, if windows have a payload */
    REST_SHARE_PPM = 300000,    /* of the budget: samples without their walks, at most */
    PERIOD_MIN_NS = 100 * 1000,
    PERIOD_MAX_NS = 200 * 1000 * 1000,
    MEAN_SHIFT = 4,                    /* weight of a new observation in running means: 1/16 */
    COPIES_FREE_NS = 15 * 1000 * 1000, /* of copying code: start-up, which is told apart */
    WINDOW_NS = 200000,                /* as if so many windows had been seen, of this cost */
    WINDOWS_FIRST = 4,
    SEEN_NS_PER_THOUSAND = 1000,    /* what a window costs by its length, here and in the tool */
    PAYLOAD_NS_PER_THOUSAND = 8000, /* the same, with a payload */
    SEEN_SHARE = 5,                 /* one part of so many of a sample's cost, if that is more */
    WINDOW_DEAR_MAX = 4 * DEFAULT_WINDOW,
    KEPT = 6, /* one part of so many of the budget */
    KEPT_TIMING = 3,
    TRAIL_LEAST = 0x10000 / 16, /* of 2^16 samples */
    WINDOW_LEAST = 0x10000 / 64,
    WITHOUT_MOST = 32,                 /* samples */
    SAVED_IN = 8,                      /* seconds of CPU time */
    LONG_FIRST_NS = 100 * 1000 * 1000, /* of CPU time, until the first long trail */
    ENTRY_MOST = 4,                    /* times the calibrated cost of an interrupt */
    REACH_SHIFT = 5,
    REACH_MANY = 8192, /* of 65536 trails that came to a system call */
};

static uint64_t ticks_of(uint64_t ns)
{
    return ns * agent.ticks_per_ms / 1000000;
}

static uint64_t ns_of(uint64_t ticks)
{
    return ticks * 1000000 / agent.ticks_per_ms;
}

void budget_init(void)
{
    const struct record_options *options = &agent.options;
    uint32_t suits = options->events & EVENTS_ADDRESS   ? ADDRESS_WINDOW
                     : options->events & EVENTS_PAYLOAD ? VALUE_WINDOW
                                                        : DEFAULT_WINDOW;
    agent.window = options->window ? options->window : suits;
    agent.windows = suits == VALUE_WINDOW ? VALUE_WINDOWS : 1;
    agent.tick_ns = agent_tick_ns();
    agent.long_at_ns = LONG_FIRST_NS;
    agent.channel->window = agent.window;
    agent.channel->trail = options->trail;
    /* Soon replaced by what walks really cost. */
    agent.means = (struct means){.entry_ticks = agent.means.entry_ticks,
                                 .window = agent.window,
                                 .insns_per_exit_q8 = 12 << 8,
                                 .trail = ticks_of(TRAIL_NS),
                                 .rest_ticks = 2 * agent.means.entry_ticks + ticks_of(5000),
                                 .window_ticks = ticks_of(30000),
                                 .trail_ticks = ticks_of(30000)};
}

/* Ticks beyond what the instructions would have taken natively. Where a program has fast and slow
 * code, the mean of all trails says little of one: python3's seemed to cost nothing. */
static uint64_t net_ticks(const struct means *means, const struct part_cost *part)
{
    uint64_t native = part->native ? plain_warm_ticks(part->native, agent_variety())
                                   : part->instructions * means->ticks_per_insn_q16 >> 16;
    return part->ticks > native ? part->ticks - native : 0;
}

/* An observation at most doubles a mean: a walk that lost its CPU costs what others do. */
static void mean_move(uint64_t *mean, uint64_t seen)
{
    seen = seen > 2 * *mean ? 2 * *mean : seen;
    *mean += (seen >> MEAN_SHIFT) - (*mean >> MEAN_SHIFT);
}

/* The median, approached by steps: an interrupt in the kernel comes late by the kernel's work.
 * Where most of them come there, what is later than any interrupt would be the median: it is left
 * out. */
void budget_entered(struct thread *thread, uint64_t late_ns)
{
    uint64_t late = late_ns * agent.ticks_per_ms / 1000000, *median = &thread->means.entry_ticks;
    uint64_t step = (*median >> MEAN_SHIFT) + 1;
    if (late > ENTRY_MOST * agent.delivery_ticks)
        return;
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
    uint64_t entry = thread->means.entry_ticks, warm = agent.delivery_ticks;
    return entry > warm ? 2 * entry - warm : warm;
}

/* The cost of one part of a walk beyond the program's own work. Copies and counters take the place
 * of the program's code and data in the caches: it loses some more to them afterwards. At 20 %,
 * where that is most, lua cost 13.4 and python3 15.2 % in all, of which 15.1 and 15.8 were counted
 * without it (Zen 4). */
static uint64_t part_spend(const struct means *means, const struct part_cost *part, uint64_t *mean)
{
    uint64_t net = net_ticks(means, part);
    net += agent.options.tally ? net / TRAIL_AFTER_PART : 0;
    if (part->ticks)
        mean_move(mean, net);
    return net;
}

void budget_spend(struct thread *thread, const struct sample_cost *cost)
{
    struct means *means = &thread->means;
    /* Parts are timed by the clock, which others may have moved on. */
    uint64_t parts = cost->window.ticks + cost->trail.ticks;
    uint64_t walked = parts + cost->longer_ticks;
    uint64_t rest = cost->handler_ticks > walked ? cost->handler_ticks - walked : 0;
    struct part_cost window = cost->window, trail = cost->trail;
    uint64_t copied = cost->copy_ticks;
    if (parts > cost->handler_ticks) {
        window.ticks = window.ticks * (cost->handler_ticks + 1) / parts;
        trail.ticks = trail.ticks * (cost->handler_ticks + 1) / parts;
    }
    copied = copied < window.ticks + trail.ticks ? copied : window.ticks + trail.ticks;
    uint64_t from_trail = copied < trail.ticks ? copied : trail.ticks;
    trail.ticks -= from_trail;
    window.ticks -= copied - from_trail;
    rest += budget_interrupt_ticks(thread); /* whatever was walked, this is not the program's */
    mean_move(&means->rest_ticks, rest);
    uint64_t window_ticks = part_spend(means, &window, &means->window_ticks);
    uint64_t trail_ticks = part_spend(means, &trail, &means->trail_ticks);
    agent_add(&agent.window_spent_ns, ns_of(window_ticks));
    agent.channel->rest_ns = ns_of(means->rest_ticks);
    agent.channel->trail_ns = ns_of(means->trail_ticks);
    agent.channel->window_ns = ns_of(means->window_ticks);
    agent_add(&agent.copied_ns, ns_of(copied));
    if (__atomic_load_n(&agent.copied_ns, __ATOMIC_RELAXED) < COPIES_FREE_NS)
        copied = 0;
    uint64_t longer =
        cost->longer_ticks > cost->longer_native ? cost->longer_ticks - cost->longer_native : 0;
    agent_add(&agent.spent_ns, ns_of(rest + window_ticks + trail_ticks + longer + copied));
}

void budget_timed(struct thread *thread, uint64_t ticks_per_insn_q16)
{
    struct means *means = &thread->means;
    uint64_t seen = plain_warm_ticks(ticks_per_insn_q16, agent_variety());
    if (means->ticks_per_insn_q16 == 0)
        means->ticks_per_insn_q16 = seen;
    else
        means->ticks_per_insn_q16 += (seen >> 3) - (means->ticks_per_insn_q16 >> 3);
}

/* The budget in force. Costs are known to about a sixth, so that much is kept back; with latencies,
 * where four fifths of the measured cost were known, a third. What was overspent, as when all code
 * was new, is saved in the next seconds of CPU time; what was saved can be spent. */
static uint64_t budget_ppm(void)
{
    uint64_t kept_back = agent.options.events & EVENTS_LATENCY ? KEPT_TIMING : KEPT;
    uint64_t ppm = agent.options.overhead_ppm - agent.options.overhead_ppm / kept_back;
    uint64_t ran = __atomic_load_n(&agent.ran_ns, __ATOMIC_RELAXED);
    uint64_t spent = __atomic_load_n(&agent.spent_ns, __ATOMIC_RELAXED) +
                     __atomic_load_n(&agent.channel->tool_cpu_ns, __ATOMIC_RELAXED);
    uint64_t allowed = ran / 1000 * ppm / 1000, horizon = SAVED_IN * ppm * 1000;
    uint64_t left = allowed + horizon > spent ? allowed + horizon - spent : 0;
    uint64_t now = ppm * (left < 2 * horizon ? left : 2 * horizon) / horizon;
    uint64_t most = ppm + ppm / 4, least = ppm / 4;
    return now > most ? most : now < least ? least : now;
}

/* ---- the parts of a sample */

/* What a recorded window costs here and in the tool: the mean of the whole run, since the tool's
 * time comes in lumps. All that the tool does is put on windows. */
static uint64_t window_cost_ns(void)
{
    uint64_t spent = __atomic_load_n(&agent.window_spent_ns, __ATOMIC_RELAXED) +
                     __atomic_load_n(&agent.channel->tool_cpu_ns, __ATOMIC_RELAXED);
    uint64_t windows = __atomic_load_n(&agent.windows_begun, __ATOMIC_RELAXED);
    return (spent + WINDOWS_FIRST * WINDOW_NS) / (windows + WINDOWS_FIRST) + 1;
}

static uint64_t window_share_ppm(void)
{
    return agent.options.events & EVENTS_PAYLOAD ? PAYLOAD_SHARE_PPM : WINDOW_SHARE_PPM;
}

/* True once in so many times: 2^16 is always. */
static bool chance(struct thread *thread, uint64_t of_65536)
{
    return (thread_random(thread) & 0xffff) < of_65536;
}

enum { DUE_ONE = 0x10000 }; /* one trail */

/* What is owed to a place, or to all: limited, since chance may change. */
static int32_t owed(int32_t due, int64_t more)
{
    const int64_t most = 4 * DUE_ONE;
    int64_t now = due + more;
    return (int32_t)(now > most ? most : now < -most ? -most : now);
}

/* What is owed to the interrupted place, where places are as large as a page, down to a few
 * instructions. It begins a little above or below nothing, by chance: else the first sample of each
 * place would be treated alike. */
static int32_t *due_here(struct thread *thread, uint32_t scale)
{
    static const uint8_t place_bits[AGENT_SCALES] = {12, 10, 8, 6};
    uint32_t place = (uint32_t)(thread->frame.rip >> place_bits[scale]) * UINT32_C(0x9e3779b1);
    int32_t *due = &agent.due[scale][place / (UINT32_MAX / AGENT_PLACES + 1)];
    if (!*due)
        *due = (int32_t)(thread_random(thread) & (DUE_ONE / 8 - 1)) - DUE_ONE / 16;
    return due;
}

/* The same, but as evenly as possible over time, and over the program's code: so trails are spread
 * over its phases and its code as its time is, which all samples know, and not by chance once more.
 * All samples together are owed a trail, and so are those of each page, of each part of a page, and
 * of each few instructions: few of the latter are interrupted twice. One is due where these debts
 * together make half a trail each. */
static bool chance_here(struct thread *thread, uint64_t of_65536)
{
    enum { ALL_WEIGH = 2 };
    agent.due_all = owed(agent.due_all, (int64_t)of_65536);
    int32_t *due[AGENT_SCALES], sum = ALL_WEIGH * agent.due_all;
    for (uint32_t i = 0; i < AGENT_SCALES; i++) {
        due[i] = due_here(thread, i);
        *due[i] = owed(*due[i], (int64_t)of_65536);
        sum += *due[i];
    }
    if (sum <= (1 + AGENT_SCALES) * DUE_ONE / 2)
        return false;
    agent.due_all = owed(agent.due_all, -DUE_ONE);
    for (uint32_t i = 0; i < AGENT_SCALES; i++)
        *due[i] = owed(*due[i], -DUE_ONE);
    return true;
}

/* Windows with addresses and values are few, some five a second: by chance, or in proportion to
 * time, the functions that take a thirtieth of it have one or none. But what part of their
 * executions was for nothing is asked of each function alike, and how often they ran is known from
 * trails. So of a place (a kilobyte of code, by hashes) that had n samples about the root of n have
 * a window. The bar, which falls until a sample passes, makes that as many as the budget pays for.
 * A window stands for all samples of its place since the one before it.
 *
 * Returns for how many samples it stands; 0: there is none. */
static uint32_t window_of_few(struct thread *thread, uint64_t of_65536, bool at_once)
{
    enum { PLACE_BITS = 10, FIRST = 8 << 16, LEAST = 1 << 8, MOST = 1 << 30 };
    enum { FALLS = 64, RISES = 4 };
    struct agent_windows *few = &agent.few;
    uint32_t hash = (uint32_t)(thread->frame.rip >> PLACE_BITS) * UINT32_C(0x9e3779b1);
    uint32_t place = hash / (UINT32_MAX / AGENT_PLACES + 1);
    uint32_t samples = ++few->at[place].samples, waiting = ++few->at[place].waiting;
    uint64_t n = few->at[place].windows + 1;
    few->bar = few->bar ? few->bar : FIRST;
    few->due = owed(few->due, (int64_t)of_65536);
    bool due = few->due > 0,
         passes = few->due > 2 * DUE_ONE || ((uint64_t)samples << 16) / (n * n) >= few->bar;
    if (due && !passes && few->bar > LEAST)
        few->bar -= few->bar / FALLS;
    if (!at_once && !(due && passes))
        return 0;
    if (!at_once && few->bar < MOST)
        few->bar += few->bar / RISES;
    few->due = owed(few->due, -DUE_ONE);
    few->at[place].windows++;
    few->at[place].waiting = 0;
    return waiting;
}

static bool windows_are_few(void)
{
    return !(~agent.options.events & (EVENTS_ADDRESS | EVENTS_VALUE));
}

static uint64_t portion(uint64_t part, uint64_t whole)
{
    return part >= whole ? 0x10000 : part * 0x10000 / whole;
}

/* As --trail wants it, in instructions; else as means say. */
static uint64_t trail_wanted(const struct means *means)
{
    uint64_t each = means->ticks_per_insn_q16 ? means->ticks_per_insn_q16 : 1 << 15;
    return agent.options.trail ? (agent.options.trail * each >> 16) + 1 : means->trail;
}

/* Trails do not count: every sample has a window, and as many a trail as cost little beside. */
static struct sample_parts parts_uncounted(struct thread *thread)
{
    struct means *means = &thread->means;
    uint64_t beside = means->rest_ticks + means->window_ticks;
    uint64_t may = beside * TRAIL_SHARE_PPM / 1000000;
    bool trail = means->windows < TRAIL_ALWAYS || chance(thread, portion(may, means->trail_ticks));
    return (struct sample_parts){.window = true, .trail = trail ? trail_wanted(means) : 0};
}

/* Where many trails come to a system call first, code behind calls would be seen less than code
 * before them: then trails are shorter. */
static void trail_suit(struct means *means)
{
    uint64_t step = means->trail / WINDOW_STEP;
    if (means->reach_q16 > REACH_MANY && means->trail > ticks_of(TRAIL_MIN_NS))
        means->trail -= step;
    else if (means->reach_q16 < REACH_MANY / 2 && means->trail < ticks_of(TRAIL_NS))
        means->trail += step + 1;
}

/* A recording without a single window knows no path and no loop. */
static bool window_missing(void)
{
    return !__atomic_load_n(&agent.windows_begun, __ATOMIC_RELAXED) &&
           __atomic_load_n(&agent.channel->interrupts, __ATOMIC_RELAXED) >= WITHOUT_MOST;
}

static bool too_young(void)
{
    return !agent.options.fixed_hz &&
           __atomic_load_n(&agent.ran_ns, __ATOMIC_RELAXED) < agent.young_ns;
}

struct sample_parts budget_parts(struct thread *thread)
{
    struct means *means = &thread->means;
    if (too_young()) {
        agent_lose(LOSS_young);
        return (struct sample_parts){0};
    }
    if (!agent.options.tally)
        return parts_uncounted(thread);
    if (agent.options.fixed_hz)
        return (struct sample_parts){.window = true, .trail = trail_wanted(means)};
    uint64_t all = thread->period_ns * budget_ppm() / 1000000, rest = ns_of(means->rest_ticks);
    uint64_t windows = all * window_share_ppm() / 1000000;
    uint64_t trails = all > windows + rest ? all - windows - rest : 0;
    uint64_t window = portion(windows, window_cost_ns());
    uint64_t trail = portion(trails, ns_of(means->trail_ticks) + 1);
    /* Some, whatever was overspent: what runs now runs later no more. */
    trail = trail < TRAIL_LEAST ? TRAIL_LEAST : trail;
    window = window < WINDOW_LEAST ? WINDOW_LEAST : window;
    trail_suit(means);
    struct sample_parts parts = {0};
    if (windows_are_few()) {
        bool at_once = window >= DUE_ONE || window_missing(); /* each sample may have one */
        parts.periods_q8 = window_of_few(thread, window, at_once) << 8;
        parts.window = parts.periods_q8 != 0;
    } else {
        parts.window = chance(thread, window) || window_missing();
        parts.periods_q8 = window ? (uint32_t)(((uint64_t)0x10000 << 8) / window) : 0;
    }
    bool between = parts.window && agent.windows > 1; /* two windows lie apart */
    parts.trail = between || chance_here(thread, trail) ? trail_wanted(means) : 0;
    return parts;
}

void budget_trail_ended(struct thread *thread, bool at_call)
{
    uint64_t *reach = &thread->means.reach_q16;
    *reach = *reach + (at_call ? 0x10000 >> REACH_SHIFT : 0) - (*reach >> REACH_SHIFT);
}

/* ---- the time between samples */

/* The tool's CPU time for a window, where each sample has one. */
static uint64_t tool_window_ns(void)
{
    uint64_t used = __atomic_load_n(&agent.channel->tool_cpu_ns, __ATOMIC_RELAXED);
    uint64_t windows = __atomic_load_n(&agent.windows_begun, __ATOMIC_RELAXED);
    return (used + WINDOWS_FIRST * WINDOW_NS / 2) / (windows + WINDOWS_FIRST);
}

/* What a sample costs on the average. Where trails count, windows get their share of the budget,
 * and each sample has a trail. */
static uint64_t cost_ns(const struct means *means)
{
    if (agent.options.tally)
        return ns_of(means->rest_ticks + means->trail_ticks) * 1000000 /
               (1000000 - window_share_ppm());
    uint64_t own = means->rest_ticks + means->window_ticks;
    return ns_of(own + own * TRAIL_SHARE_PPM / 1000000) + tool_window_ns();
}

static uint64_t mean_ns(const struct thread *thread)
{
    if (agent.options.fixed_hz)
        return 1000000000 / agent.options.fixed_hz;
    uint64_t cost = cost_ns(&thread->means), ppm = budget_ppm();
    /* A tick costs little: walks are saved first. */
    if (agent.options.tally && thread->perf_fd < 0) {
        cost = ns_of(thread->means.rest_ticks) * 1000000 / REST_SHARE_PPM;
        ppm = agent.options.overhead_ppm;
    }
    uint64_t mean = cost * 1000000 / ppm;
    return mean < PERIOD_MIN_NS ? PERIOD_MIN_NS : mean > PERIOD_MAX_NS ? PERIOD_MAX_NS : mean;
}

/* Where interrupt and cold copies make a sample expensive, a longer window costs little more and
 * sees more. Not with values: each costs as much as the first. */
static void window_suit(struct means *means)
{
    if (agent.options.window || agent.options.fixed_hz || agent.options.tally ||
        agent.window == VALUE_WINDOW)
        return;
    uint64_t each =
        agent.options.events & EVENTS_PAYLOAD ? PAYLOAD_NS_PER_THOUSAND : SEEN_NS_PER_THOUSAND;
    uint64_t suits = ns_of(means->rest_ticks + means->window_ticks) * 1000 / SEEN_SHARE / each;
    suits = suits < agent.window ? agent.window : suits > WINDOW_DEAR_MAX ? WINDOW_DEAR_MAX : suits;
    means->window = (means->window * (WINDOW_STEP - 1) + suits) / WINDOW_STEP;
}

/* A timer fires at the first kernel tick after its time. What the budget allows beyond a walk at
 * each tick goes into longer windows, unless trails count. */
static uint64_t next_tick_ns(struct thread *thread, uint64_t mean)
{
    struct means *means = &thread->means;
    uint64_t step = means->window / WINDOW_STEP;
    bool governed = !agent.options.window && !agent.options.fixed_hz && !agent.options.tally;
    if (governed && mean < agent.tick_ns && means->window + step <= WINDOW_MAX)
        means->window += step;
    else if (governed && mean > agent.tick_ns * 5 / 4 && means->window - step >= agent.window)
        means->window -= step;
    return mean > agent.tick_ns ? mean - agent.tick_ns / 2 : agent.tick_ns / 2;
}

uint64_t budget_next_ns(struct thread *thread)
{
    uint64_t mean = mean_ns(thread);
    agent.channel->period_ns = thread->period_ns = mean;
    if (thread->perf_fd >= 0) {
        window_suit(&thread->means);
    } else {
        agent.channel->period_ns = thread->period_ns = mean < agent.tick_ns ? agent.tick_ns : mean;
        mean = next_tick_ns(thread, mean);
    }
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
