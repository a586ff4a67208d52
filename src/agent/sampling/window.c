#include "agent/sampling/window.h"

#include "agent/base/clock.h"
#include "agent/base/process.h"
#include "agent/base/ring.h"
#include "agent/base/stack_copy.h"
#include "agent/base/thread.h"
#include "agent/sampling/budget.h"
#include "agent/sampling/resume.h"
#include "agent/threads/stream.h"
#include "walk/base/sys.h"

#include <sys/syscall.h>

enum {
    LEAD_MASK = 7,    /* exits */
    COLD_NS = 200000, /* that a window may take because all is cold, and for each instruction: */
    RECORD_NS = 2,
    PAYLOAD_NS = 64,
};

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

void window_close(struct thread *thread)
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
    uint64_t apart = walk_ticks_apart(&thread->walk), called = thread->walk.program_ticks;
    uint64_t start = sys_tsc();
    uint32_t stop = walk_run(&thread->walk, FLAVOUR_RECORD);
    uint64_t ticks = sys_tsc() - start;
    apart = walk_ticks_apart(&thread->walk) - apart;
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
    uint32_t python = event->n_python * (uint32_t)sizeof(struct python_frame);
    event->bytes = before + 8 * event->n_payload +
                   (event->stack_bytes ? python + stack_copy_bytes(&thread->stack) : 0);
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
    uint64_t *stack = payload + event->n_payload;
    if (event->stack_bytes) {
        __builtin_memcpy(stack, thread->python.frames, python);
        stack_copy_write(&thread->stack, stack + python / 8);
    }
    ring_publish(out, EVENT_WALK);
}

void window_send(struct thread *thread, uint32_t share)
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

/* For whom the code runs, and with which signals held back: walks pass no call that changes it, but
 * a trail before the window may have waited for some. In the handler more are
 * blocked, and wait: those are ours. */
static void circumstances_take(struct thread *thread)
{
    struct event_walk *event = &thread->progress.event;
    uint64_t pending = 0;
    if (!agent.unfiltered)
        return; /* a filter of system calls may kill whoever asks */
    event->blocked = thread->frame.mask;
    if (!sys_failed(sys3(SYS_rt_sigpending, (long)&pending, sizeof pending, 0)))
        event->pending = pending & event->blocked;
    event->user = (uint64_t)sys3(SYS_geteuid, 0, 0, 0) + 1;
}

void window_take(struct thread *thread)
{
    struct event_walk *event = &thread->progress.event;
    if (agent.options.events & EVENTS_VALUE)
        circumstances_take(thread);
    thread->means.windows++;
    agent_add(&agent.windows_begun, 1);
    event->stop = run_window(thread);
    if (!thread->progress.suspended)
        window_judge(event);
}

void window_further(struct thread *thread)
{
    struct event_walk *event = &thread->progress.event;
    window_send(thread, 1);
    event->flags = (event->flags & WALK_OUTSIDE) | WALK_FURTHER;
    event->tsc = sys_tsc();
    event->cpu_node = sys_cpu_node();
    event->pc = thread->context->pc;
    event->n_python = event->stack_bytes = event->lead = event->trail = event->counted =
        event->counted_ticks = 0;
    event->warm_ticks = event->copies_ticks = 0;
    window_take(thread);
}

void window_resume(struct thread *thread)
{
    struct sample_progress *progress = &thread->progress;
    progress->event.stop = window_walk(thread, 0);
    if (!progress->suspended)
        window_judge(&progress->event);
}

void window_end(struct thread *thread)
{
    window_close(thread);
    window_judge(&thread->progress.event);
}
