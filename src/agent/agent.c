#include "agent/agent.h"

#include "agent/signals/altstack.h"
#include "agent/sampling/budget.h"
#include "agent/sampling/calibrate.h"
#include "agent/connect.h"
#include "agent/exact/exact.h"
#include "agent/footprint.h"
#include "agent/signals/handover.h"
#include "agent/loader.h"
#include "agent/maps.h"
#include "agent/exact/plans.h"
#include "agent/signals/signals.h"
#include "agent/thread.h"
#include "agent/signals/tracer.h"
#include "agent/signals/trap.h"
#include "agent/descriptor.h"
#include "agent/sampling/trigger.h"
#include "walk/base/sys.h"

#include <linux/time.h>
#include <sys/syscall.h>

struct agent agent;

enum {
    ARCH_SHADOW_STACK_STATUS = 0x5005,
    CLOCK_SPIN_NS = 300000,
    SILENT_MAX = 20,
    DRAIN_MS = 20,
};

static uint64_t clock_ns(long clock)
{
    struct __kernel_timespec now = {0};
    sys3(SYS_clock_gettime, clock, (long)&now, 0);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

uint64_t agent_cpu_ns(void)
{
    return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* What coarse clocks can tell apart. */
uint64_t agent_tick_ns(void)
{
    struct __kernel_timespec tick = {.tv_nsec = 4000000};
    sys3(SYS_clock_getres, CLOCK_MONOTONIC_COARSE, (long)&tick, 0);
    return (uint64_t)tick.tv_nsec;
}

/* As the kernel numbers the CPU-time clocks of threads. */
long agent_thread_clock(int32_t tid)
{
    return (int32_t)(~(uint32_t)tid << 3 | 6);
}

uint64_t agent_thread_cpu_ns(int32_t tid)
{
    return clock_ns(agent_thread_clock(tid));
}

/* a * b / c with a product of 128 bits; the compiler's own way would be an import. */
static uint64_t scale(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t high;
    __asm__("mulq %2\n divq %3" : "+a"(a), "=&d"(high) : "r"(b), "r"(c) : "cc");
    return a;
}

void agent_clock(void)
{
    uint64_t ns = clock_ns(CLOCK_MONOTONIC) - agent.start_ns;
    uint64_t ticks = sys_tsc() - agent.channel->start_tsc;
    if (ns == 0)
        return;
    agent.channel->tsc_hz = scale(ticks, 1000000000, ns);
    agent.ticks_per_ms = agent.channel->tsc_hz / 1000;
}

uint64_t agent_tsc(void)
{
    if (!__atomic_load_n(&agent.clock_forbidden, __ATOMIC_RELAXED))
        return sys_tsc();
    uint64_t ns = clock_ns(CLOCK_MONOTONIC) - agent.start_ns;
    return agent.channel->start_tsc + scale(ns, agent.ticks_per_ms, 1000000);
}

/* No walk that begins from now on runs copies from before; those that have begun end within a
 * millisecond of their own time. Who has lost its CPU for long is not waited for: an exact run is
 * never without users. */
static void copies_are_stale(void)
{
    __atomic_store_n(&agent.stale, 1, __ATOMIC_SEQ_CST);
    if (agent.options.mode != RECORD_SAMPLED || !agent.ticks_per_ms)
        return;
    uint64_t start = agent_tsc();
    while (gate_occupied(&agent.cache->gate) && agent_tsc() - start < DRAIN_MS * agent.ticks_per_ms)
        sys3(SYS_sched_yield, 0, 0, 0);
}

void agent_code_changed(uint64_t start, uint64_t bytes)
{
    const struct regions *regions = agent.regions;
    bool changed = false;
    for (uint32_t i = 0; regions && i < regions->n; i++)
        changed |= regions->at[i].start < start + bytes && regions->at[i].end > start &&
                   regions->at[i].kind == REGION_LASTING;
    if (changed)
        copies_are_stale();
}

void agent_modules_closed(void)
{
    uint64_t print;
    if (agent.channel && agent.cache &&
        (!loader_fingerprint(agent.loader, &print) || print != agent.loader_print))
        copies_are_stale();
}

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

/* It reads about once a second, and each time says what it has used. Looks are counted, not
 * seconds: after a machine has slept nobody has been told anything. */
void agent_heed_tool(void)
{
    uint64_t told = __atomic_load_n(&agent.channel->tool_cpu_ns, __ATOMIC_RELAXED);
    uint64_t now = sys_tsc();
    if (now - agent.tool_looked_tsc < 1000 * agent.ticks_per_ms)
        return;
    agent.tool_looked_tsc = now;
    agent.channel->memory_bytes = footprint_bytes();
    agent.tool_silent = told == agent.tool_told_ns ? agent.tool_silent + 1 : 0;
    agent.tool_told_ns = told;
    if (tracer_present())
        agent_retire(LOSS_traced);
    else if (agent.tool_silent >= SILENT_MAX)
        agent_retire(LOSS_trigger_lost);
}

/* A process whose returns the hardware checks against a shadow stack cannot run on copies. */
static bool has_shadow_stack(void)
{
    uint64_t status = 0;
    return !sys_failed(sys3(SYS_arch_prctl, ARCH_SHADOW_STACK_STATUS, (long)&status, 0)) &&
           status != 0;
}

static void clock_start(void)
{
    agent.start_ns = clock_ns(CLOCK_MONOTONIC);
    agent.channel->start_tsc = sys_tsc();
}

/* Until the rate of the TSC is known well enough. */
static void clock_spin(void)
{
    while (clock_ns(CLOCK_MONOTONIC) - agent.start_ns < CLOCK_SPIN_NS)
        continue;
    agent_clock();
}

/* Everything the tool must know before the first walk; then it may look. */
static void channel_begin(void)
{
    agent.n_told = 0;
    agent.regions->refresh = maps_refresh;
    maps_read(agent.regions);
    if (!loader_fingerprint(agent.loader, &agent.loader_print))
        agent.loader_print = 0;
    __atomic_store_n(&agent.channel->state, CHANNEL_LIVE, __ATOMIC_RELEASE);
}

static void sampling_start(struct thread *thread)
{
    signals_own();
    if (thread)
        trap_begin(thread);
    if (!thread || !thread_equip(thread) || !trigger_open(thread)) {
        agent_lose(LOSS_trigger_lost);
        return;
    }
    altstack_lend(thread);
    handover_begin();
    /* An interrupt of the calibration may come late, when samples are taken already: it must find
     * means to go by. */
    budget_init();
    thread->means = agent.means;
    calibrate(thread);
    budget_init();
    thread->means = agent.means;
    trigger_arm(thread, agent.options.delay_ns ? agent.options.delay_ns : budget_next_ns(thread));
}

bool agent_begin(void)
{
    clock_start();
    clock_spin();
    channel_begin();
    bool walkable = !has_shadow_stack();
    if (!walkable)
        agent_lose(LOSS_at_shadow_stack);
    return walkable;
}

void agent_start(void)
{
    if (!agent_begin())
        return;
    if (tracer_present()) {
        agent_lose(LOSS_traced);
        agent.retired = 1;
        return;
    }
    struct thread *thread = thread_adopt((int32_t)sys3(SYS_gettid, 0, 0, 0));
    if (agent.options.mode == RECORD_SAMPLED) {
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
    uint64_t gone = clock_ns(CLOCK_MONOTONIC) - agent.start_ns;
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

bool agent_samples(void)
{
    return agent.channel && agent.options.mode == RECORD_SAMPLED && !agent.retired && agent.window;
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

/* The descriptors are copies of the parent's; the clocks behind them are not ours. Everything else,
 * also the shared pages of the code cache, is left alone until there is a sample: most forks soon
 * call exec. */
void agent_forked(bool trap_blocked)
{
    descriptor_program_forked();
    if (!agent_samples())
        return;
    struct kernel_altstack altstack = altstack_inherited();
    for (uint32_t i = 0; i < agent.n_threads; i++) {
        struct thread *thread = &agent.threads[i];
        if (thread->tid > 0 && thread->perf_fd >= 0)
            sys3(SYS_close, thread->perf_fd, 0, 0);
        thread->tid = 0;
    }
    agent.parent = agent.channel;
    agent.orphan = 1;
    agent.pid = (int32_t)sys3(SYS_getpid, 0, 0, 0);
    agent.n_threads = agent.n_descriptors = 0;
    struct thread *thread = thread_adopt(agent.pid);
    if (!thread)
        return;
    thread->altstack = altstack;
    thread->trap_blocked = trap_blocked;
    altstack_lend(thread);
    agent_thread_start(thread);
}

bool agent_reborn(void)
{
    agent.orphan = 0;
    if (!connect_fork()) {
        agent_add(&agent.parent->losses[LOSS_child_native], 1);
        agent.channel = NULL;
        return false;
    }
    struct channel *channel = agent.channel;
    clock_start();
    channel->tsc_hz = agent.parent->tsc_hz;
    channel->trigger = agent.parent->trigger;
    channel->delivery_ticks = agent.parent->delivery_ticks;
    channel->window = agent.window;
    channel->trail = agent.trail;
    agent.stale = 0;
    agent.ran_ns = agent.spent_ns = 0;
    channel_begin();
    plans_begin();
    for (uint32_t i = 0; i < agent.n_threads; i++)
        if (agent.threads[i].tid > 0)
            thread_enlist(&agent.threads[i]);
    return true;
}
