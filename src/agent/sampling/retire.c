#include "agent/sampling/retire.h"

#include "agent/base/process.h"
#include "agent/base/thread.h"
#include "agent/base/tracer.h"
#include "agent/threads/footprint.h"
#include "agent/threads/trigger.h"
#include "walk/base/sys.h"

enum { SILENT_MAX = 20 };

void agent_retire(enum loss why)
{
    if (!agent.channel || agent.retired)
        return;
    agent.retired = 1;
    if (agent.options.mode != RECORD_SAMPLED)
        return;
    agent_lose(why);
    for (uint32_t i = 0; i < agent.n_threads; i++)
        if (agent.threads[i].tid > 0)
            trigger_disarm(&agent.threads[i]);
}

void agent_clock_forbidden(void)
{
    __atomic_store_n(&agent.clock_forbidden, 1, __ATOMIC_SEQ_CST);
    agent_retire(LOSS_clock_forbidden);
}

/* The tool updates its CPU time about once a second. Counts checks, not seconds: after a suspend
 * the tool has had no chance yet. */
void agent_heed_tool(void)
{
    uint64_t told = __atomic_load_n(&agent.channel->tool_cpu_ns, __ATOMIC_RELAXED);
    uint64_t now = sys_tsc();
    if (now - agent.tool_looked_tsc < 1000 * agent.ticks_per_ms)
        return;
    agent.tool_looked_tsc = now;
    /* To ask for it takes 0.3 ms, and it grows at first. */
    uint32_t looks = ++agent.tool_looks;
    if ((looks & (looks - 1)) == 0)
        agent.channel->memory_bytes = footprint_bytes();
    agent.tool_silent = told == agent.tool_told_ns ? agent.tool_silent + 1 : 0;
    agent.tool_told_ns = told;
    if (tracer_present())
        agent_retire(LOSS_traced);
    else if (agent.tool_silent >= SILENT_MAX)
        agent_retire(LOSS_trigger_lost);
}
