#include "agent/agent.h"

#include "agent/base/clock.h"
#include "agent/base/descriptor.h"
#include "agent/base/process.h"
#include "agent/base/thread.h"
#include "agent/base/tracer.h"
#include "agent/channel/connect.h"
#include "agent/channel/plans.h"
#include "agent/exact/exact.h"
#include "agent/sampling/budget.h"
#include "agent/sampling/calibrate.h"
#include "agent/signals/altstack.h"
#include "agent/signals/handover.h"
#include "agent/signals/signals.h"
#include "agent/signals/trap.h"
#include "agent/threads/begin.h"
#include "agent/threads/threads.h"
#include "agent/threads/trigger.h"
#include "walk/base/sys.h"

#include <sys/syscall.h>

/* To be over before the first sample is the fate of most processes that others start. It costs a
 * third then. What the first process has measured must be known: nothing is to be measured
 * again. */
bool agent_waits(void)
{
    return agent.options.mode == RECORD_SAMPLED && !connect_first() &&
           calibrate_known(trigger_kind());
}

/* An orphan's first clock is a timer, as that of any new thread. */
static bool equip(struct thread *thread)
{
    if (!agent.orphan)
        return thread_equip(thread) && trigger_open(thread);
    agent.channel->trigger = agent.trigger = trigger_kind();
    return trigger_open_timer(thread);
}

static void sampling_start(struct thread *thread)
{
    signals_own();
    if (thread)
        trap_begin(thread);
    if (!thread || !equip(thread)) {
        agent_lose(LOSS_trigger_lost);
        return;
    }
    altstack_lend(thread);
    handover_begin();
    /* A late interrupt of the calibration may become a sample: it needs means. */
    budget_init();
    thread->means = agent.means;
    calibrate(thread);
    budget_init();
    thread->means = agent.means;
    trigger_arm(thread, agent.options.delay_ns ? agent.options.delay_ns : budget_next_ns(thread));
}

void agent_start(void)
{
    if (agent.options.mode == RECORD_SAMPLED)
        connect_count(agent.pid, false);
    if (!agent_begin())
        return;
    if (tracer_present()) {
        agent_lose(LOSS_traced);
        agent.retired = 1;
        return;
    }
    if (!agent.orphan)
        agent_begin_young();
    struct thread *thread = thread_adopt((int32_t)sys3(SYS_gettid, 0, 0, 0));
    if (agent.options.mode == RECORD_SAMPLED) {
        agent.unfiltered = tracer_no_filter();
        sampling_start(thread);
        return;
    }
    agent.calibrated = UINT32_MAX;
    plans_begin();
    if (thread && thread_equip(thread))
        exact_take_over(thread);
    else
        agent_lose(LOSS_exact_left);
}

/* ---- threads and forks */

/* What is left of the delay that the user asked for. */
static uint64_t delay_left(void)
{
    uint64_t gone = agent_elapsed_ns();
    return agent.options.delay_ns > gone ? agent.options.delay_ns - gone : 0;
}

void agent_thread_start(struct thread *thread)
{
    uint64_t first = budget_first_ns(thread), delay = delay_left();
    if (trigger_open_timer(thread))
        trigger_arm(thread, first > delay ? first : delay);
    else if (thread_lives(thread))
        agent_lose(LOSS_trigger_lost);
}

void agent_thread_begins(bool trap_blocked)
{
    struct thread *thread =
        agent_samples() ? thread_adopt((int32_t)sys3(SYS_gettid, 0, 0, 0)) : NULL;
    if (!thread)
        return;
    thread->trap_blocked = trap_blocked;
    altstack_lend(thread);
    agent_thread_start(thread);
}

void agent_thread_ends(void)
{
    struct thread *thread = agent_samples() ? thread_self() : NULL;
    if (!thread)
        return;
    altstack_take_back(thread);
    thread_release(thread);
}

/* The descriptors are copies of the parent's, for the parent's clocks. Everything else, also the
 * shared code cache, is left alone until there is a sample: most forks soon call exec. */
void agent_forked(bool trap_blocked)
{
    descriptor_program_forked();
    int32_t pid = (int32_t)sys3(SYS_getpid, 0, 0, 0);
    if (agent.channel && agent.options.mode == RECORD_SAMPLED)
        connect_count(pid, true);
    if (!agent_samples())
        return;
    agent.pid = pid;
    const struct thread *forker;
    struct kernel_altstack altstack = altstack_inherited(&forker);
    struct resume_place places[RESUME_PLACES] = {0};
    if (forker)
        __builtin_memcpy(places, forker->resume.places, sizeof places);
    for (uint32_t i = 0; i < agent.n_threads; i++) {
        struct thread *thread = &agent.threads[i];
        if (thread->tid > 0 && thread->perf_fd >= 0)
            sys3(SYS_close, thread->perf_fd, 0, 0);
        thread->tid = 0;
    }
    agent.parent = agent.channel;
    agent.begun = false;
    if (agent.orphan == ORPHAN_CONNECTS) /* by a thread that the child does not have */
        agent.cache = NULL, agent.regions = NULL;
    agent.orphan = ORPHAN_WAITS;
    agent.n_threads = agent.n_descriptors = 0;
    struct thread *thread = thread_adopt(agent.pid);
    if (!thread)
        return;
    thread->altstack = altstack;
    /* A handler that forks may have interrupted a call with the trap flag, and returns there. */
    __builtin_memcpy(thread->resume.places, places, sizeof places);
    thread->trap_blocked = trap_blocked;
    altstack_lend(thread);
    agent_thread_start(thread);
}
