#include "agent/sampling/sample.h"

#include "agent/base/clock.h"
#include "agent/base/frame.h"
#include "agent/base/loader.h"
#include "agent/base/process.h"
#include "agent/base/ring.h"
#include "agent/base/stack_copy.h"
#include "agent/base/thread.h"
#include "agent/channel/maps.h"
#include "agent/sampling/budget.h"
#include "agent/sampling/calls.h"
#include "agent/sampling/resume.h"
#include "agent/sampling/retire.h"
#include "agent/sampling/tally.h"
#include "agent/sampling/trail.h"
#include "agent/threads/stream.h"
#include "agent/threads/trigger.h"
#include "walk/base/sys.h"

#include <linux/prctl.h>
#include <sys/syscall.h>

enum {
    GUARDS_FEW = 16,
    LEAD_MASK = 7, /* exits */
    CLOCK_MASK = 63,
    NAME_MASK = 15,   /* threads are often given their names after they began */
    COLD_NS = 200000, /* that a window may take because all is cold, and for each instruction: */
    RECORD_NS = 2,
    PAYLOAD_NS = 64,
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

/* Spent on copying code and on system calls: not the time of what is walked. */
static uint64_t ticks_apart(const struct thread *thread)
{
    return thread->walk.translate_ticks + thread->walk.call_ticks;
}

/* Adds the instructions of exits that were recorded since the last time. While a sample is
 * suspended, the cache may be flushed, and then nothing knows them any more. */
static void window_sum(struct thread *thread)
{
    struct sample_progress *progress = &thread->progress;
    uint32_t n = progress->max_exits - (uint32_t)(-thread->context->record_at / 4);
    const uint32_t *exits = &thread->context->records[CONTEXT_RECORDS - progress->max_exits];
    for (; progress->summed < n; progress->summed++) {
        uint32_t instructions = cache_exit(agent.cache, exits[progress->summed])->instructions;
        if (progress->summed < progress->lead_exits)
            progress->event.lead += instructions;
        else
            progress->event.instructions += instructions;
    }
}

static void window_close(struct thread *thread)
{
    struct event_walk *event = &thread->progress.event;
    struct context *context = thread->context;
    thread->progress.in_window = false;
    window_sum(thread);
    uint32_t n = thread->progress.summed;
    uint32_t lead = n < thread->progress.lead_exits ? n : thread->progress.lead_exits;
    event->n_exits = n - lead;
    event->n_lead = lead;
    event->n_payload = (uint32_t)((context->payload_at - CONTEXT_SAMPLED_AT) / 8);
    event->end_pc = context->pc;
    const uint32_t *exits = &context->records[CONTEXT_RECORDS - thread->progress.max_exits];
    thread->progress.cost.window.instructions += event->lead + event->instructions;
    if (thread->stream && event->n_exits)
        stream_window(thread, exits + lead, event->n_exits);
    if (event->n_exits) {
        uint64_t mean = ((uint64_t)event->instructions << 8) / event->n_exits;
        thread->means.insns_per_exit_q8 += (mean >> 3) - (thread->means.insns_per_exit_q8 >> 3);
        if (thread->means.insns_per_exit_q8 < 256)
            thread->means.insns_per_exit_q8 = 256;
    }
}

/* A window's time is mostly recording and cold caches. If it takes longer, its code is slow, and
 * that is reported. The clock is tested first: cheap, but it may count others' time; CPU time
 * decides. */
static void window_time(struct thread *thread, uint64_t ticks, uint64_t cpu_ns)
{
    struct event_walk *event = &thread->progress.event;
    bool payload = agent.cache->events & EVENTS_PAYLOAD;
    uint64_t cold = COLD_NS + event->instructions * (payload ? PAYLOAD_NS : RECORD_NS);
    event->slow_ns = 0;
    if (ticks * 1000000 / agent.ticks_per_ms < cold)
        return;
    uint64_t took = agent_cpu_ns() - cpu_ns;
    took = took > cold ? took - cold : 0;
    event->slow_ns = took < UINT32_MAX ? (uint32_t)took : UINT32_MAX;
}

/* From which load on loads are timed. Right after an interrupt caches hold what the kernel, and
 * whoever had the CPU meanwhile, put there: natively that is rare, but every sample begins so. On a
 * busy machine 6 to 9 % of the loads of short first windows were far that are near in windows
 * further on (0.2 %). So the first loads of a first window are not timed, and none if another
 * window follows, as it did the last time. */
static void timing_start(struct thread *thread)
{
    enum { GAP_MASK = 255, COLD_PART = 64 };
    uint64_t cold = agent.window / COLD_PART;
    if (thread->means.goes_further)
        cold = agent.window;
    if (thread->progress.windows)
        cold = 0;
    thread->context->latency_left = 1 + cold + (thread_random(thread) & GAP_MASK);
}

/* A window without a payload waits for calls that the program must make itself. */
static bool window_suspends(struct thread *thread)
{
    return !(agent.cache->events & EVENTS_PAYLOAD) && !thread->stream &&
           thread->context->record_at < 0 && resume_plan(thread);
}

/* Walks until the window is full, ends or is suspended. */
static uint32_t window_walk(struct thread *thread, uint64_t cpu_ns)
{
    uint64_t apart = ticks_apart(thread), called = thread->walk.program_ticks;
    uint64_t start = sys_tsc();
    uint32_t stop = walk_run(&thread->walk, FLAVOUR_RECORD);
    uint64_t ticks = sys_tsc() - start;
    apart = ticks_apart(thread) - apart;
    thread->progress.cost.window.ticks += ticks - (thread->walk.program_ticks - called);
    agent_add(&agent.channel->window_ticks, ticks);
    if (stop == LOSS_at_syscall && window_suspends(thread)) {
        thread->progress.suspended = true;
        window_sum(thread);
        return stop;
    }
    window_close(thread);
    if (thread->resume.times == 0)
        window_time(thread, ticks - apart, cpu_ns + apart * 1000000 / agent.ticks_per_ms);
    return stop;
}

/* Interrupts fall on slow instructions: the window begins a few exits later; these are recorded and
 * left out. Where exits have a payload, all are kept. */
static uint32_t run_window(struct thread *thread)
{
    struct sample_progress *progress = &thread->progress;
    bool payload = agent.cache->events & EVENTS_PAYLOAD;
    progress->lead_exits = payload ? 0 : 1 + (uint32_t)(thread_random(thread) & LEAD_MASK);
    progress->max_exits = budget_window_exits(thread) + progress->lead_exits;
    uint32_t most = payload ? CONTEXT_PAYLOAD_EXITS : CONTEXT_RECORDS;
    if (progress->max_exits > most)
        progress->max_exits = most;
    progress->summed = progress->event.lead = progress->event.instructions = 0;
    thread->context->record_at = -4 * (int64_t)progress->max_exits;
    thread->context->payload_at = CONTEXT_SAMPLED_AT;
    timing_start(thread);
    progress->in_window = true;
    thread->walk.brief = true;
    return window_walk(thread, progress->windows ? agent_cpu_ns() : progress->event.cpu_ns);
}

static void event_publish(struct thread *thread)
{
    struct event_walk *event = &thread->progress.event;
    if (thread->stream && event->n_exits) {
        event->n_lead = event->n_exits = event->n_payload = 0;
        event->flags |= WALK_COMPRESSED;
    }
    uint32_t n_exits = event->n_lead + event->n_exits;
    uint32_t before = (uint32_t)(sizeof *event + 4 * n_exits + 7) & ~7u;
    event->bytes =
        before + 8 * event->n_payload + (event->stack_bytes ? stack_copy_bytes(&thread->stack) : 0);
    struct event_walk *out = ring_take(&agent.ring, event->bytes);
    if (!out) {
        agent_lose(LOSS_dropped);
        return;
    }
    *out = *event;
    const uint32_t *exits = &thread->context->records[CONTEXT_RECORDS - thread->progress.max_exits];
    uint32_t *to = (uint32_t *)(out + 1);
    for (uint32_t i = 0; i < n_exits; i++)
        to[i] = exits[i];
    if (n_exits & 1)
        to[n_exits] = 0;
    uint64_t *payload = (uint64_t *)(void *)((uint8_t *)out + before);
    const uint64_t *words = context_words(thread->context);
    for (uint32_t i = 0; i < event->n_payload; i++)
        payload[i] = words[i];
    if (event->stack_bytes)
        stack_copy_write(&thread->stack, payload + event->n_payload);
    ring_publish(out, EVENT_WALK);
}

/* Books the window and sends it, to stand for so much of the sample. */
static void window_send(struct thread *thread, uint32_t share)
{
    struct event_walk *event = &thread->progress.event;
    struct channel *channel = agent.channel;
    agent_add(&channel->walks, (event->flags & WALK_COMPLETE) != 0);
    agent_add(&channel->instructions, event->instructions);
    thread->progress.walked += event->lead + event->instructions + event->trail;
    thread->progress.windows++;
    event->share = (uint16_t)share;
    event->shares = (uint16_t)agent.windows;
    event_publish(thread);
}

/* A window that came to a system call is whole: there the user time that it stands for ends. */
static void window_judge(struct event_walk *event)
{
    event->flags |= event->stop == LOSS_N ? 0u : WALK_SHORT;
    if (event->stop == LOSS_N || (event->stop == LOSS_at_syscall && event->n_exits))
        event->flags |= WALK_COMPLETE;
    else
        agent_lose(event->n_exits ? LOSS_cut : LOSS_unwalked);
}

static void take_window(struct thread *thread)
{
    struct event_walk *event = &thread->progress.event;
    thread->means.windows++;
    agent_add(&agent.windows_begun, 1);
    event->stop = run_window(thread);
    if (!thread->progress.suspended)
        window_judge(event);
}

/* Another window further on: all is warm there, and it costs a third of one at an interrupt of its
 * own. */
static void take_further(struct thread *thread)
{
    struct event_walk *event = &thread->progress.event;
    window_send(thread, 1);
    event->flags = (event->flags & WALK_OUTSIDE) | WALK_FURTHER;
    event->tsc = sys_tsc();
    event->pc = thread->context->pc;
    event->stack_bytes = event->lead = event->trail = event->counted = event->counted_ticks = 0;
    event->warm_ticks = 0;
    take_window(thread);
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
        take_further(thread);
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
        take_further(thread);
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
        take_window(thread);
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
    progress->event.stop = window_walk(thread, 0);
    if (progress->suspended)
        return;
    window_judge(&progress->event);
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
    window_close(thread);
    window_judge(&progress->event);
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
    cost->handler_ticks +=
        handler_ticks(thread, agent_cpu_ns()) + 2 * agent.channel->delivery_ticks;
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
                            __atomic_load_n(&thread->wire->stack_begin, __ATOMIC_RELAXED));
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
    agent_leaves();
}
