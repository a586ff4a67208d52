#include "agent/sampling/sample.h"

#include "agent/base/clock.h"
#include "agent/base/frame.h"
#include "agent/base/loader.h"
#include "agent/base/process.h"
#include "agent/base/stack_copy.h"
#include "agent/sampling/python_take.h"
#include "agent/base/thread.h"
#include "agent/channel/maps.h"
#include "agent/sampling/budget.h"
#include "agent/sampling/calls.h"
#include "agent/sampling/resume.h"
#include "agent/sampling/retire.h"
#include "agent/sampling/tally.h"
#include "agent/sampling/trail.h"
#include "agent/sampling/window.h"
#include "agent/threads/merged.h"
#include "agent/threads/trigger.h"
#include "walk/base/sys.h"

#include <linux/prctl.h>
#include <sys/syscall.h>

enum {
    GUARDS_FEW = 16,
    CLOCK_MASK = 63,
    NAME_MASK = 15,   /* threads are often given their names after they began */
    FURTHER = 100000, /* instructions between the windows of a walk */
};

/* Code of a JIT that may have lost its rights: its copies must not run then. False: the cache is
 * being changed, and the next walk tries again. */
static bool modules_sift(void)
{
    if (!__atomic_load_n(&agent.remapped, __ATOMIC_ACQUIRE))
        return true;
    if (!gate_lock(&agent.cache->gate, false))
        return false;
    __atomic_store_n(&agent.remapped, 0, __ATOMIC_RELAXED);
    maps_read(agent.regions);
    cache_sift(agent.cache);
    gate_unlock(&agent.cache->gate);
    return true;
}

/* Enters the cache, with copies of what is mapped now. False: not possible; the reason is counted.
 */
static bool modules_enter(void)
{
    uint64_t print;
    if (!loader_fingerprint(agent.loader, &print)) {
        agent_lose(LOSS_in_loader);
        return false;
    }
    bool changed = __atomic_load_n(&agent.stale, __ATOMIC_ACQUIRE) ||
                   print != __atomic_load_n(&agent.loader_print, __ATOMIC_ACQUIRE) ||
                   (agent.cache->witness && !witness_holds(agent.cache->witness));
    if (!changed && !agent.cache->full && gate_enter(&agent.cache->gate)) {
        if (modules_sift())
            return true;
        gate_leave(&agent.cache->gate);
        agent_lose(LOSS_busy);
        return false;
    }
    /* Others may be in it. They soon leave, and nobody enters before one has flushed it. */
    if (!gate_claim(&agent.cache->gate)) {
        agent_lose(LOSS_busy);
        return false;
    }
    changed |= __atomic_exchange_n(&agent.remapped, 0, __ATOMIC_ACQUIRE);
    __atomic_store_n(&agent.stale, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&agent.loader_print, print, __ATOMIC_RELEASE);
    cache_flush(agent.cache);
    if (changed)
        maps_read(agent.regions);
    agent_lose(LOSS_flushed);
    gate_release(&agent.cache->gate);
    return true;
}

/* In the handler, at the start of a sample or after a system call that the program made. */
static void handler_enter(struct thread *thread)
{
    thread->progress.entered_tsc = sys_tsc();
    thread->progress.entered_cpu_ns = agent_cpu_ns();
    thread->walk.calls = 0;
    thread->walk.program_ticks = 0;
}

static void progress_begin(struct thread *thread, uint64_t pc)
{
    struct sample_progress *progress = &thread->progress;
    progress->in_window = progress->in_trail = progress->timing = progress->counting = false;
    progress->max_exits = progress->lead_exits = progress->windows = 0;
    progress->walked = 0;
    progress->guards = thread->walk.guards;
    thread->walk.syscall = sample_call;
    thread->resume.times = 0;
    progress->cost = (struct sample_cost){.copy_ticks = thread->walk.translate_ticks};
    handler_enter(thread);
    progress->event = (struct event_walk){.tid = thread->tid,
                                          .slot = thread->slot,
                                          .tsc = progress->entered_tsc,
                                          .cpu_ns = progress->entered_cpu_ns,
                                          .pc = pc,
                                          .cpu_node = sys_cpu_node(),
                                          .stop = LOSS_N};
    /* The timer also fires in the kernel, and late: a sample stands for the time since the last.
     * Less before the first, whose moment is drawn from a whole period. */
    bool first = thread->wire->end_cpu_ns == thread->wire->start_cpu_ns;
    if (thread->perf_fd >= 0 && !first && thread->armed_ns) {
        uint64_t since = progress->event.cpu_ns - thread->wire->end_cpu_ns;
        budget_entered(thread, since > thread->armed_ns ? since - thread->armed_ns : 0);
    }
    if (thread->perf_fd >= 0 || first)
        progress->event.period_ns = (uint32_t)thread->period_ns;
    if (first || (thread_random(thread) & NAME_MASK) == 0)
        sys3(SYS_prctl, PR_GET_NAME, (long)thread->wire->name, 0);
}

/* Instructions between two windows, where trails do not count. False: the walk cannot go on, and
 * the window before stays the last. */
static bool skip(struct thread *thread)
{
    struct sample_progress *progress = &thread->progress;
    uint32_t skipped;
    uint64_t start = sys_tsc();
    progress->event.stop = trail_skip(thread, FURTHER, &skipped);
    progress->cost.window.ticks += sys_tsc() - start;
    progress->cost.window.instructions += skipped;
    progress->walked += skipped;
    thread->means.goes_further = progress->event.stop == LOSS_N;
    return progress->event.stop == LOSS_N;
}

/* Guarded code is many times slower on copies: its rate is useless, and every way through it long.
 */
static bool runs_on(const struct thread *thread)
{
    const struct sample_progress *progress = &thread->progress;
    return progress->event.stop == LOSS_N && thread->walk.guards - progress->guards <= GUARDS_FEW;
}

/* ---- the parts of a walk */

/* Of a trail that may be suspended at a system call: it has the counters only while it runs. */
static void trail_walk(struct thread *thread)
{
    struct sample_progress *progress = &thread->progress;
    if (agent.options.tally && !tally_claim(thread)) {
        agent_lose(LOSS_counting);
        progress->timing = false;
        trail_end(thread);
        return;
    }
    progress->event.stop = trail_run(thread);
    tally_leave(thread);
    bool at_call = progress->event.stop == LOSS_at_syscall;
    if (at_call && agent.options.tally && resume_plan(thread)) {
        progress->suspended = true;
        return;
    }
    trail_end(thread);
    budget_trail_ended(thread, at_call);
}

/* What comes after the first window, where trails do not count. */
static void rest_uncounted(struct thread *thread)
{
    thread->means.goes_further &= runs_on(thread);
    for (uint32_t i = 1; i < agent.windows && runs_on(thread) && skip(thread); i++)
        window_further(thread);
    if (!thread->progress.parts.trail || !runs_on(thread))
        return;
    trail_begin(thread, thread->progress.parts.trail);
    trail_walk(thread);
}

/* Another window behind a trail that counts. */
static void rest_further(struct thread *thread)
{
    struct sample_progress *progress = &thread->progress;
    if (!progress->parts.window || agent.windows < 2)
        return;
    thread->means.goes_further = progress->timing && runs_on(thread);
    if (thread->means.goes_further)
        window_further(thread);
}

/* A trail that counts, and a window further on if there are to be two. */
static void rest_counted(struct thread *thread)
{
    struct sample_progress *progress = &thread->progress;
    bool at_call = progress->event.stop == LOSS_at_syscall;
    if (progress->parts.trail && (at_call || runs_on(thread))) {
        trail_begin(thread, progress->parts.trail);
        progress->suspended = at_call && resume_plan(thread);
        if (!at_call)
            trail_walk(thread);
        else if (!progress->suspended)
            progress->in_trail = progress->timing = false;
    }
    if (!progress->suspended)
        rest_further(thread);
}

static void run_rest(struct thread *thread)
{
    if (agent.options.tally)
        rest_counted(thread);
    else
        rest_uncounted(thread);
}

static void run_parts(struct thread *thread)
{
    struct sample_progress *progress = &thread->progress;
    if (progress->parts.window)
        window_take(thread);
    if (!progress->suspended)
        run_rest(thread);
}

/* ---- samples that wait for a system call of the program's */

/* The call has returned. */
static void run_resumed(struct thread *thread)
{
    struct sample_progress *progress = &thread->progress;
    if (progress->in_trail) {
        trail_walk(thread);
        if (!progress->suspended)
            rest_further(thread);
        return;
    }
    window_resume(thread);
    if (!progress->suspended)
        run_rest(thread);
}

/* It is not walked on: window or trail end at the call. */
static void resumed_end(struct thread *thread)
{
    struct sample_progress *progress = &thread->progress;
    progress->event.stop = LOSS_at_syscall;
    if (progress->in_trail) {
        trail_end(thread);
        return;
    }
    window_end(thread);
}

/* The handler's own CPU time. Calls of the program are the program's; they are timed by the clock,
 * so what the thread lost to others meanwhile is taken off them. */
static uint64_t handler_ticks(const struct thread *thread, uint64_t cpu_ns)
{
    const struct sample_progress *progress = &thread->progress;
    uint64_t used = (cpu_ns - progress->entered_cpu_ns) * agent.ticks_per_ms / 1000000;
    uint64_t passed = sys_tsc() - progress->entered_tsc, called = thread->walk.program_ticks;
    uint64_t lost = passed > used ? passed - used : 0;
    called = called > lost ? called - lost : 0;
    return used > called ? used - called : 0;
}

static void progress_book(struct thread *thread)
{
    const struct event_walk *event = &thread->progress.event;
    struct channel *channel = agent.channel;
    if (event->stop != LOSS_N)
        agent_lose((enum loss)event->stop);
    if (thread->progress.timing && !(event->flags & WALK_TIMED))
        agent_lose(LOSS_untimed);
    channel->superblocks = agent.cache->translated;
    channel->code_bytes = agent.cache->zones.code_bytes;
    window_send(thread, agent.windows - thread->progress.windows);
    uint64_t walked = thread->progress.walked;
    agent_add(&channel->walked_instructions, walked);
    /* CPU time, not the clock: what others did meanwhile is not our cost. */
    uint64_t cpu_ns = agent_cpu_ns();
    agent_add(&agent.ran_ns, cpu_ns - thread->wire->end_cpu_ns);
    channel->end_tsc = thread->wire->end_tsc = sys_tsc();
    thread->wire->end_cpu_ns = cpu_ns;
    thread->progress.cost.handler_ticks += handler_ticks(thread, cpu_ns);
    agent_add(&channel->handler_ticks, thread->progress.cost.handler_ticks);
    agent_add(&channel->interrupt_ticks, budget_interrupt_ticks(thread));
    if ((channel->interrupts & CLOCK_MASK) == 0)
        agent_clock();
    thread->progress.cost.copy_ticks =
        thread->walk.translate_ticks - thread->progress.cost.copy_ticks;
    budget_spend(thread, &thread->progress.cost);
    channel->translate_ticks = agent.copied_ns * agent.ticks_per_ms / 1000000;
    agent.means = thread->means;
    agent_heed_tool();
}

/* Arms the next sample, as long after this one began as the period says: what was walked is time of
 * the program's too. Walks often end at system calls. Counted from their end, samples would come at
 * the same places between calls. */
static void arm_next(struct thread *thread, uint64_t walked)
{
    uint64_t period = budget_next_ns(thread), most = period - period / 4;
    uint64_t ticks = walked * thread->means.ticks_per_insn_q16 >> 16;
    uint64_t ns = ticks * 1000000 / agent.ticks_per_ms;
    thread->armed_ns = period - (ns < most ? ns : most);
    trigger_arm(thread, thread->armed_ns);
}

/* Books the sample and arms the next. */
static void progress_end(struct thread *thread)
{
    progress_book(thread);
    trigger_upgrade(thread);
    arm_next(thread, thread->progress.walked);
}

/* Returns to the call, from where a trap comes back. A trigger may come before, in handlers that
 * run meanwhile. */
static void suspend(struct thread *thread)
{
    struct sample_cost *cost = &thread->progress.cost;
    cost->handler_ticks += handler_ticks(thread, agent_cpu_ns()) + 2 * agent.delivery_ticks;
    resume_begin(thread);
    arm_next(thread, thread->progress.event.lead + thread->progress.event.instructions);
}

void sample_settle(struct thread *thread)
{
    if (!thread->progress.suspended)
        return;
    thread->progress.suspended = thread->resume.on = false;
    handler_enter(thread);
    resumed_end(thread);
    progress_book(thread);
}

void sample_decline(struct thread *thread, uint64_t pc)
{
    progress_begin(thread, pc);
    progress_end(thread);
}

void sample_abandon(struct thread *thread)
{
    struct sample_progress *progress = &thread->progress;
    if (progress->in_window) {
        window_close(thread);
        progress->event.flags |= WALK_SHORT;
    }
    gate_leave(&agent.cache->gate);
    tally_leave(thread);
    if (progress->in_trail)
        trail_end(thread);
    progress->event.stop = LOSS_at_fault;
    if (!(progress->event.flags & WALK_COMPLETE) && progress->parts.window)
        agent_lose(progress->event.n_exits ? LOSS_cut : LOSS_unwalked);
    progress_end(thread);
    merged_repeat();
    agent_leaves();
}

static void sample_begin(struct thread *thread)
{
    progress_begin(thread, thread->frame.rip);
    struct sample_parts *parts = &thread->progress.parts;
    *parts = budget_parts(thread);
    thread->progress.event.flags =
        (thread->outside ? WALK_OUTSIDE : 0u) | (parts->window || parts->trail ? 0u : WALK_NONE);
    thread->progress.event.periods_q8 = parts->periods_q8;
    if (agent.options.events & EVENTS_STACK)
        thread->progress.event.stack_bytes =
            stack_copy_take(&thread->stack, &thread->frame,
                            __atomic_load_n(&thread->wire->stack_begin, __ATOMIC_RELAXED),
                            agent.python.runtime ? STACK_COPY_DEEP : STACK_COPY_BYTES);
    if (thread->progress.event.stack_bytes)
        thread->progress.event.n_python = python_copy_take(thread);
}

static void sample_walk(struct thread *thread, void (*parts)(struct thread *thread))
{
    frame_load(thread->context, &thread->frame);
    thread->program_gs = gs_read();
    gs_write((uint64_t)thread->context);
    thread->walking = 1;
    frame_vectors_load(thread->fpstate);
    parts(thread);
    frame_vectors_save(thread->fpstate);
    thread->walking = 0;
    gs_write(thread->program_gs);
    gate_leave(&agent.cache->gate);
    frame_store(thread->context, &thread->frame);
}

void sample_take(struct thread *thread)
{
    bool resumed = thread->progress.suspended;
    thread->progress.suspended = false;
    if (resumed)
        handler_enter(thread);
    else
        sample_begin(thread);
    bool walks = thread->progress.parts.window || thread->progress.parts.trail;
    if (walks && modules_enter())
        sample_walk(thread, resumed ? run_resumed : run_parts);
    else if (resumed)
        resumed_end(thread);
    if (thread->progress.suspended)
        suspend(thread);
    else
        progress_end(thread);
    merged_repeat();
    agent_leaves();
}
