#include "agent/threads/begin.h"

#include "agent/base/clock.h"
#include "agent/base/loader.h"
#include "agent/base/process.h"
#include "agent/base/thread.h"
#include "agent/channel/connect.h"
#include "agent/channel/maps.h"
#include "agent/channel/plans.h"
#include "agent/threads/threads.h"
#include "walk/base/sys.h"

#include <fcntl.h>
#include <sys/syscall.h>

enum {
    ARCH_SHADOW_STACK_STATUS = 0x5005,
    /* Of CPU time: a process of a new program is young, or of one that ran before. */
    YOUNG_NEW_NS = 250 * 1000 * 1000,
    YOUNG_KNOWN_NS = 1000 * 1000 * 1000,
};

/* A process whose returns the hardware checks against a shadow stack cannot run on copies. */
static bool has_shadow_stack(void)
{
    uint64_t status = 0;
    return !sys_failed(sys3(SYS_arch_prctl, ARCH_SHADOW_STACK_STATUS, (long)&status, 0)) &&
           status != 0;
}

/* Everything the tool must know before the first walk; then it may look. */
static void channel_begin(void)
{
    agent.n_told = 0;
    if (agent.patched)
        agent_lose(LOSS_patched);
    agent.regions->refresh = maps_refresh;
    agent.regions->calls = agent.options.mode == RECORD_SAMPLED;
    maps_read(agent.regions);
    if (!loader_fingerprint(agent.loader, &agent.loader_print))
        agent.loader_print = 0;
    __atomic_store_n(&agent.channel->state, CHANNEL_LIVE, __ATOMIC_RELEASE);
}

/* Whether a process of this program's file came before; notes that one has. Samples only. */
static bool program_known(void)
{
    struct {
        uint64_t device, inode, rest[16];
    } status = {0};
    if (agent.options.mode != RECORD_SAMPLED ||
        sys_failed(sys6(SYS_newfstatat, AT_FDCWD, (long)"/proc/self/exe", (long)&status, 0, 0, 0)))
        return false;
    uint64_t key = (status.device << 40 ^ status.inode) | UINT64_C(1) << 63;
    uint64_t *programs = agent.directory->programs;
    for (uint32_t i = 0; i < DIRECTORY_PROGRAMS; i++) {
        uint64_t found = 0;
        if (__atomic_compare_exchange_n(&programs[i], &found, key, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
            return false;
        if (found == key)
            return true;
    }
    return true;
}

void agent_begin_young(void)
{
    bool known = program_known();
    agent.young_ns = connect_first() ? 0 : known ? YOUNG_KNOWN_NS : YOUNG_NEW_NS;
}

bool agent_begin(void)
{
    agent_clock_start();
    agent_clock_spin();
    if (!agent.orphan)
        channel_begin();
    bool walkable = !has_shadow_stack();
    if (!walkable)
        agent_lose(LOSS_at_shadow_stack);
    return walkable;
}

static void orphan_end(void)
{
    __atomic_store_n(&agent.orphan, ORPHAN_NOT, __ATOMIC_RELEASE);
}

bool agent_reborn(void)
{
    if (!connect_orphan()) {
        agent_lose(LOSS_child_native);
        agent.channel = NULL;
        orphan_end();
        return false;
    }
    struct channel *channel = agent.channel;
    if (agent.begun)
        channel->start_tsc = agent.start_tsc;
    else
        agent_clock_start();
    channel->tsc_hz = agent.tsc_hz;
    channel->trigger = agent.trigger;
    channel->delivery_ticks = agent.delivery_ticks;
    channel->window = agent.window;
    channel->trail = agent.options.trail;
    channel->python_runtime = agent.python.runtime; /* else the tool looks for it */
    agent.stale = 0;
    agent.ran_ns = agent.spent_ns = agent.window_spent_ns = agent.windows_begun = 0;
    agent.counting = 0;
    channel_begin();
    agent_begin_young();
    plans_begin();
    for (uint32_t i = 0; i < agent.n_threads; i++)
        if (agent.threads[i].tid > 0)
            thread_enlist(&agent.threads[i]);
    orphan_end();
    return true;
}
