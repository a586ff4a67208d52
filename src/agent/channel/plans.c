#include "agent/channel/plans.h"

#include "agent/base/process.h"
#include "agent/channel/connect.h"
#include "walk/base/sys.h"
#include "walk/emit/known_paths.h"

#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

enum { PAUSE_NS = 200000, ASK_NS = 50 * 1000 * 1000 };

static void *map(long fd, uint64_t at, uint64_t bytes, long rights)
{
    long flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED;
    long address = sys6(SYS_mmap, 0, (long)bytes, rights, flags, fd, (long)at);
    return sys_failed(address) ? NULL : (void *)address;
}

bool plans_wanted(void)
{
    return agent.options.mode == RECORD_EXACT_COUNTS &&
           (agent.options.plan_counters || agent.options.contexts);
}

static bool contexts_open(void)
{
    struct contexts *contexts = map(-1, 0, sizeof *contexts, PROT_READ | PROT_WRITE);
    agent.cache->contexts = contexts;
    if (!contexts)
        return false;
    contexts->plan = agent.cache->plan;
    contexts->regions = agent.regions;
    contexts->ticks = agent.options.contexts & CONTEXTS_TICKS;
    contexts->ticks_some = agent.options.contexts & CONTEXTS_TICKS_SOME;
    contexts->paths = agent.options.contexts & CONTEXTS_PATHS;
    contexts->merges_sites = agent.options.contexts & CONTEXTS_MERGED;
    contexts->nodes_max = agent.options.contexts_max;
    if (!contexts->nodes_max || contexts->nodes_max > CONTEXTS_NODES_MAX)
        contexts->nodes_max = CONTEXTS_NODES_MAX;
    return true;
}

/* Puts it where the tool looks; slots become free as questions are answered. False: the tool is
 * gone. */
static bool ask_put(uint64_t ask)
{
    for (uint32_t i = 0;; i++) {
        uint64_t free = 0;
        if (__atomic_compare_exchange_n(&agent.channel->plan_asks[i % PLAN_ASKS], &free, ask, false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            return true;
        if (i % PLAN_ASKS == PLAN_ASKS - 1 && !connect_tool_lives())
            return false;
    }
}

/* A function is met for the first time, by any process. */
static void ask(const struct wire_plan_function *function, uint64_t at)
{
    struct timespec moment = {0, ASK_NS};
    bool put = ask_put(at + 1);
    while (put && __atomic_load_n(&function->state, __ATOMIC_ACQUIRE) != PLAN_MADE) {
        if (!connect_tool_lives())
            break;
        sys6(SYS_futex, (long)&function->state, FUTEX_WAIT, PLAN_TO_MAKE, (long)&moment, 0, 0);
    }
    if (__atomic_load_n(&function->state, __ATOMIC_ACQUIRE) != PLAN_MADE)
        agent_lose(LOSS_plan_late);
}

bool plans_open(long fd)
{
    struct cache *cache = agent.cache;
    struct plan *plan = map(-1, 0, sizeof *plan, PROT_READ | PROT_WRITE);
    cache->plan = plan;
    if (!plan || !(plan->library = map(fd, PLAN_LIBRARY_AT, PLAN_LIBRARY_BYTES, PROT_READ)))
        return false;
    plan->counters = UINT64_C(1) + agent.options.plan_counters;
    plan->covered = agent.options.covered;
    plan->events = agent.options.event_clock;
    plan->ask = ask;
    plan->known = map(-1, 0, sizeof *plan->known, PROT_READ | PROT_WRITE);
    if (plan->known)
        plan->known->units = &cache->units;
    cache->n_kept = agent.options.plan_counters;
    cache->units.n_counters += cache->n_kept;
    agent.regions->plan = plan;
    return !agent.options.contexts || contexts_open();
}

void plans_close(void)
{
    struct plan *plan = agent.cache->plan;
    if (!plan)
        return;
    if (plan->library)
        sys3(SYS_munmap, (long)plan->library, (long)PLAN_LIBRARY_BYTES, 0);
    if (plan->known)
        sys3(SYS_munmap, (long)plan->known, sizeof *plan->known, 0);
    sys3(SYS_munmap, (long)plan, sizeof *plan, 0);
    agent.cache->plan = NULL;
    if (agent.cache->contexts)
        sys3(SYS_munmap, (long)agent.cache->contexts, sizeof *agent.cache->contexts, 0);
    agent.cache->contexts = NULL;
}

void plans_begin(void)
{
    agent.plans_read = 0;
    if (agent.cache->plan)
        agent.cache->plan->n_slices = 0;
    if (agent.cache->contexts)
        agent.cache->contexts->n_published = 0;
    plans_await();
}

/* Waits for the tool's answer to all mappings, under load for seconds. False: the tool is gone. */
static bool answered(const struct channel *channel)
{
    while (__atomic_load_n(&channel->plans_for, __ATOMIC_ACQUIRE) < agent.maps_bytes) {
        if (!connect_tool_lives())
            return false;
        struct timespec pause = {0, PAUSE_NS};
        sys3(SYS_nanosleep, (long)&pause, 0, 0);
    }
    return true;
}

void plans_await(void)
{
    struct channel *channel = agent.channel;
    struct plan *plan = agent.cache->plan;
    uint64_t left_out = 0;
    if (!plan)
        return;
    if (!answered(channel))
        agent_lose(LOSS_plan_late);
    uint64_t bytes = __atomic_load_n(&channel->plans_bytes, __ATOMIC_ACQUIRE);
    if (bytes > CHANNEL_PLANS_BYTES)
        return;
    agent.plans_read = plan_read(plan, (const uint8_t *)channel + CHANNEL_PLANS_AT, bytes,
                                 agent.plans_read, &left_out);
    agent_add(&channel->losses[LOSS_garbled], left_out);
}
