#include "agent/base/stale.h"

#include "agent/base/clock.h"
#include "agent/base/loader.h"
#include "agent/base/process.h"
#include "walk/base/sys.h"

#include <sys/syscall.h>

enum { DRAIN_MS = 20 };

/* A walk that came here must not run what has changed now. It ends at a call that no walk makes. */
static void walk_end_here(void)
{
    uint64_t pending;
    sys3(SYS_rt_sigpending, (long)&pending, 8, 0);
}

/* Later walks do not run older copies; current ones end within a millisecond of their own time. A
 * thread that lost its CPU for long is not waited for: an exact run always has users. */
static void copies_are_stale(void)
{
    __atomic_store_n(&agent.stale, 1, __ATOMIC_SEQ_CST);
    walk_end_here();
    if (agent.options.mode != RECORD_SAMPLED || !agent.ticks_per_ms)
        return;
    uint64_t start = agent_tsc();
    while (gate_occupied(&agent.cache->gate) && agent_tsc() - start < DRAIN_MS * agent.ticks_per_ms)
        sys3(SYS_sched_yield, 0, 0, 0);
}

void agent_code_changed(uint64_t start, uint64_t bytes)
{
    const struct regions *regions = agent.regions;
    bool lasting = false, guarded = false;
    for (uint32_t i = 0; regions && i < regions->n; i++) {
        const struct region *region = &regions->at[i];
        bool here = region->start < start + bytes && region->end > start;
        lasting |= here && region->kind == REGION_LASTING;
        guarded |= here && region->kind != REGION_LASTING;
    }
    if (lasting)
        copies_are_stale();
    if (!guarded || agent.options.mode != RECORD_SAMPLED)
        return;
    __atomic_store_n(&agent.remapped, 1, __ATOMIC_SEQ_CST);
    walk_end_here();
}

void agent_code_writable(uint64_t start, uint64_t bytes)
{
    const struct regions *regions = agent.regions;
    for (uint32_t i = 0; regions && i < regions->n; i++) {
        const struct region *region = &regions->at[i];
        if (region->kind != REGION_LASTING || region->start >= start + bytes ||
            region->end <= start)
            continue;
        agent.patched = true;
        agent_lose(LOSS_patched);
        return;
    }
}

void agent_modules_closed(void)
{
    uint64_t print;
    if (agent.channel && agent.cache &&
        (!loader_fingerprint(agent.loader, &print) || print != agent.loader_print))
        copies_are_stale();
}
