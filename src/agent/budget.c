#include "agent/budget.h"

#include "agent/agent.h"

enum {
    DEFAULT_WINDOW = 10000,
    DEFAULT_TRAIL = 64000,
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
    /* A first guess, soon replaced: a cheap walk on this machine. */
    agent.mean_cost_ticks = agent.channel->delivery_ticks + 20 * agent.ticks_per_ms / 1000;
}

/* The tool works for this process too: its share of the CPU time so far, in parts per million. It
 * comes in lumps, so the whole run is the measure. */
static uint64_t tool_ppm(void)
{
    uint64_t used = __atomic_load_n(&agent.channel->tool_cpu_ns, __ATOMIC_RELAXED);
    uint64_t ran = agent.channel->end_cpu_ns - agent.channel->start_cpu_ns;
    if (ran < TOOL_SETTLED_NS) {
        agent.tool_start_ns = used;
        return 0;
    }
    return (used - agent.tool_start_ns) * 1000 / (ran / 1000);
}

/* One observation may at most double the mean: a walk that lost the CPU to somebody else costs what
 * others do, whatever the clock says. */
void budget_spend(const struct sample_cost *cost)
{
    uint64_t spent = cost->handler_ticks + agent.channel->delivery_ticks;
    uint64_t native = cost->instructions * agent.ticks_per_insn_q16 >> 16;
    /* Trails run slower than native code, so the native part is less. */
    native -= native >> 2;
    uint64_t least = agent.channel->delivery_ticks, most = 2 * agent.mean_cost_ticks;
    spent = spent > native ? spent - native : 0;
    spent = spent < least ? least : spent > most ? most : spent;
    agent.mean_cost_ticks += (spent >> MEAN_SHIFT) - (agent.mean_cost_ticks >> MEAN_SHIFT);
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
    /* Uniform in [1/2, 3/2): no program can run in step with it. */
    return mean / 2 + (agent_random() & 0xffff) * mean / 0x10000;
}

uint32_t budget_window_exits(void)
{
    uint64_t exits = ((uint64_t)agent.window << 8) / agent.insns_per_exit_q8;
    return (uint32_t)(exits < 1 ? 1 : exits > CONTEXT_RECORDS ? CONTEXT_RECORDS : exits);
}
