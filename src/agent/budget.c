#include "agent/budget.h"

#include "agent/agent.h"

enum {
    DEFAULT_WINDOW = 12000,
    DEFAULT_TRAIL = 100000,
    TRAIL_ALWAYS = 64,
    TRAIL_SHARE_PPM = 150000, /* of the rest of a sample's cost, on the average */
    PERIOD_MIN_NS = 100 * 1000,
    PERIOD_MAX_NS = 200 * 1000 * 1000,
    MEAN_SHIFT = 4,                      /* weight of a new observation in running means: 1/16 */
    TOOL_SETTLED_NS = 500 * 1000 * 1000, /* its start-up is not counted */
};

void budget_init(void)
{
    const struct record_options *options = &agent.options;
    agent.window = options->window ? options->window : DEFAULT_WINDOW;
    agent.trail = options->trail ? options->trail : DEFAULT_TRAIL;
    agent.insns_per_exit_q8 = 12 << 8;
    agent.channel->window = agent.window;
    agent.channel->trail = agent.trail;
    /* First guesses, soon replaced: cheap walks on this machine. */
    agent.mean_rest_ticks = agent.channel->delivery_ticks + 15 * agent.ticks_per_ms / 1000;
    agent.mean_trail_ticks = 10 * agent.ticks_per_ms / 1000;
    agent.mean_cost_ticks = agent.mean_rest_ticks + agent.mean_trail_ticks;
}

/* The tool works for this process too: its share of the CPU time so far, in parts per million. It
 * comes in lumps, so the whole run is the measure. */
static uint64_t tool_ppm(void)
{
    uint64_t used = __atomic_load_n(&agent.channel->tool_cpu_ns, __ATOMIC_RELAXED);
    uint64_t ran = channel_threads(agent.channel)[0].end_cpu_ns -
                   channel_threads(agent.channel)[0].start_cpu_ns;
    if (ran < TOOL_SETTLED_NS) {
        agent.tool_start_ns = used;
        return 0;
    }
    return (used - agent.tool_start_ns) * 1000 / (ran / 1000);
}

/* Ticks beyond what the instructions would have taken natively; trails run slower than native code, so
 * their rate says a little too much. */
static uint64_t net_ticks(uint64_t ticks, uint64_t instructions)
{
    uint64_t native = instructions * agent.ticks_per_insn_q16 >> 16;
    native -= native >> 2;
    return ticks > native ? ticks - native : 0;
}

/* One observation may at most double a mean: a walk that lost the CPU to somebody else costs what
 * others do, whatever the clock says. */
static void mean_move(uint64_t *mean, uint64_t seen)
{
    seen = seen > 2 * *mean ? 2 * *mean : seen;
    *mean += (seen >> MEAN_SHIFT) - (*mean >> MEAN_SHIFT);
}

void budget_spend(const struct sample_cost *cost)
{
    uint64_t rest = cost->handler_ticks - cost->trail_ticks + agent.channel->delivery_ticks;
    uint64_t trail = net_ticks(cost->trail_ticks, cost->trail_instructions);
    rest = net_ticks(rest, cost->instructions - cost->trail_instructions);
    mean_move(&agent.mean_rest_ticks, rest);
    if (cost->trail_ticks)
        mean_move(&agent.mean_trail_ticks, trail);
    mean_move(&agent.mean_cost_ticks, rest + trail);
}

bool budget_wants_trail(void)
{
    /* At first every walk is timed: the tool has no rates yet to go by. */
    if (agent.channel->walks < TRAIL_ALWAYS)
        return true;
    uint64_t chance = agent.mean_rest_ticks * TRAIL_SHARE_PPM / 1000000 * 0x10000;
    return (agent_random() & 0xffff) * (agent.mean_trail_ticks + 1) < chance;
}

/* What the walks may use: the budget less the tool's share, but half of it at least. */
static uint64_t walks_ppm(void)
{
    uint64_t all = agent.options.overhead_ppm, tool = tool_ppm();
    return tool < all / 2 ? all - tool : all / 2;
}

uint64_t budget_next_ns(void)
{
    uint64_t mean;
    if (agent.options.fixed_hz) {
        mean = 1000000000 / agent.options.fixed_hz;
    } else {
        uint64_t cost_ns = agent.mean_cost_ticks * 1000000 / agent.ticks_per_ms;
        mean = cost_ns * 1000000 / walks_ppm();
        mean = mean < PERIOD_MIN_NS ? PERIOD_MIN_NS : mean > PERIOD_MAX_NS ? PERIOD_MAX_NS : mean;
    }
    agent.channel->period_ns = mean;
    /* Uniform in [3/4, 5/4): no program can run in step with it, and phases get their share of samples
     * with little luck involved. */
    return mean * 3 / 4 + (agent_random() & 0xffff) * (mean / 2) / 0x10000;
}

uint32_t budget_window_exits(void)
{
    uint64_t exits = ((uint64_t)agent.window << 8) / agent.insns_per_exit_q8;
    return (uint32_t)(exits < 1 ? 1 : exits > CONTEXT_RECORDS ? CONTEXT_RECORDS : exits);
}
