#include "agent/plans.h"

#include "agent/agent.h"
#include "walk/sys.h"

#include <sys/syscall.h>
#include <time.h>

enum { PAUSE_NS = 200000 };

/* False: it took too long. */
static bool answered(const struct channel *channel)
{
    uint64_t start = sys_tsc();
    while (__atomic_load_n(&channel->plans_for, __ATOMIC_ACQUIRE) < channel->maps_bytes) {
        if (sys_tsc() - start > PLAN_WAIT_MS * agent.ticks_per_ms)
            return false;
        struct timespec pause = {0, PAUSE_NS};
        sys3(SYS_nanosleep, (long)&pause, 0, 0);
    }
    return true;
}

void plans_await(void)
{
    struct channel *channel = agent.channel;
    if (!agent.cache->plan)
        return;
    if (!answered(channel))
        agent_lose(LOSS_plan_late);
    uint64_t bytes = __atomic_load_n(&channel->plans_bytes, __ATOMIC_ACQUIRE);
    if (bytes > CHANNEL_PLANS_BYTES)
        return;
    agent.plans_read =
        plan_read(agent.cache->plan, (const uint8_t *)channel + CHANNEL_PLANS_AT, bytes,
                  agent.plans_read, UINT64_C(1) + agent.options.plan_counters);
}
