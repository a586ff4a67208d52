#include "agent/exact/exact.h"

#include "agent/base/clock.h"
#include "agent/base/process.h"
#include "agent/base/thread.h"
#include "agent/channel/plans.h"
#include "agent/exact/exact_actions.h"
#include "agent/exact/exact_altstack.h"
#include "agent/exact/exact_counts.h"
#include "agent/exact/exact_dispatch.h"
#include "agent/exact/exact_signals.h"
#include "agent/exact/exact_step.h"
#include "agent/exact/exact_thread.h"
#include "agent/exact/syscalls.h"
#include "agent/threads/threads.h"
#include "walk/base/sys.h"

#include <asm/signal.h>
#include <linux/sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>

/* ---- running */

/* A full cache can be flushed by the only thread that is in it. */
static bool make_room(struct walk *walk)
{
    if (!gate_alone(&walk->cache->gate))
        return false;
    cache_flush(walk->cache);
    agent_lose(LOSS_flushed);
    return true;
}

static enum flavour flavour_of_mode(void)
{
    switch (agent.options.mode) {
    case RECORD_EXACT_NONE: return FLAVOUR_PLAIN;
    case RECORD_EXACT_TRACE: return FLAVOUR_RECORD;
    default: return FLAVOUR_COUNT;
    }
}

/* An instruction that is part of a superblock, and counted. */
static bool step_counted(struct walk *walk, uint64_t next)
{
    struct thread *thread = (struct thread *)((char *)walk - offsetof(struct thread, walk));
    bool made = exact_step(thread, walk->context->exit);
    if (made && walk->context->pc != next)
        exact_pour(thread, next, walk->context->pc);
    return made;
}

/* The walk could not begin or go on at context.pc. */
static bool step_uncounted(struct thread *thread, uint32_t stop)
{
    struct context *context = thread->context;
    uint64_t pc = context->pc;
    if (!exact_step_helps(stop))
        return false;
    if (!exact_step(thread, 0))
        return false;
    exact_pour(thread, pc, context->pc);
    return true;
}

__attribute__((noreturn)) static void exact_run(struct thread *thread)
{
    uint32_t stop;
    do {
        exact_signals_deliver(thread);
        stop = walk_run(&thread->walk, flavour_of_mode());
        if (step_uncounted(thread, stop))
            stop = LOSS_N;
        if (!exact_pour(thread, thread->context->pc, thread->context->pc))
            stop = LOSS_dropped;
    } while (stop == LOSS_N);
    agent_lose((enum loss)stop);
    exact_retire(thread);
    exact_dispatch_begin(thread);
    exact_go_native();
}

/* ---- in */

/* Frames that are older than the run have put nothing by. */
static void frames_forget(struct context *context)
{
    enum { FRAMES_BYTES = 1 << 16 };
    for (uint64_t at = 0; at < FRAMES_BYTES; at += 8)
        context_shadow(context, context->gpr[RSP] + at)->path = PLAN_NO_PATH;
}

/* The first thread of a process. */
static void process_begin(struct thread *thread)
{
    thread->walk.syscall = syscalls_run;
    thread->walk.waits = true;
    thread->walk.make_room = make_room;
    thread->walk.step = step_counted;
    thread->walk.put_off = exact_signals_put_off;
    thread->loop = exact_run;
    thread->context->flags = 0x202;
    cache_expect_all(agent.cache);
    thread->context->program_gs = gs_read();
    exact_prepare(thread);
    exact_actions_begin();
    exact_altstack_begin(thread);
    if (agent.cache->plan)
        frames_forget(thread->context);
    /* by the loader, and by us */
    agent.channel->handler_ticks = agent_cpu_ns() * agent.ticks_per_ms / 1000000;
    exact_enter(thread);
}

void exact_start(uint64_t pc, uint64_t sp)
{
    struct thread *thread = thread_adopt((int32_t)sys3(SYS_gettid, 0, 0, 0));
    /* Not before: the tool reads no channel while it waits for the command that injected the agent.
     */
    plans_begin();
    if (!thread || !thread_equip(thread)) {
        agent_lose(LOSS_exact_left);
        __asm__ volatile("mov %0,%%rsp\n xor %%edx,%%edx\n jmp *%1" : : "r"(sp), "r"(pc));
        __builtin_unreachable();
    }
    for (uint32_t i = 0; i < 16; i++)
        thread->context->gpr[i] = 0;
    thread->context->pc = pc;
    thread->context->gpr[RSP] = sp;
    process_begin(thread);
    exact_resume(thread);
}

/* Keeps what a call must keep and the return address; the rest is dead across a call. */
__attribute__((used)) static void take_over_prepare(const uint64_t *saved, struct thread *thread)
{
    struct context *context = thread->context;
    context->gpr[R15] = saved[0];
    context->gpr[R14] = saved[1];
    context->gpr[R13] = saved[2];
    context->gpr[R12] = saved[3];
    context->gpr[RBP] = saved[4];
    context->gpr[RBX] = saved[5];
    context->pc = saved[6];
    context->gpr[RSP] = (uint64_t)(saved + 7);
    process_begin(thread);
}

__asm__(".pushsection .text\n"
        ".globl exact_take_over\n.hidden exact_take_over\n"
        "exact_take_over:\n"
        "  push %rbx\n  push %rbp\n  push %r12\n  push %r13\n  push %r14\n  push %r15\n"
        "  mov %rdi,%rbx\n  mov %rdi,%rsi\n  mov %rsp,%rdi\n  and $-16,%rsp\n"
        "  call take_over_prepare\n"
        "  mov %rbx,%rdi\n  call exact_resume\n  ud2\n"
        ".popsection\n");
