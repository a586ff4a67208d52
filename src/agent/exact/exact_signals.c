#include "agent/exact/exact_signals.h"

#include "agent/base/frame.h"
#include "agent/base/process.h"
#include "agent/base/program_memory.h"
#include "agent/base/thread.h"
#include "agent/exact/exact_actions.h"
#include "agent/exact/exact_aside.h"
#include "agent/exact/exact_call.h"
#include "agent/exact/exact_counts.h"
#include "agent/exact/exact_dispatch.h"
#include "agent/exact/exact_frame.h"
#include "agent/exact/exact_thread.h"
#include "agent/exact/exact_step.h"
#include "agent/signals/signals.h"
#include "walk/base/probe.h"
#include "walk/base/sys.h"
#include "walk/count/passages.h"
#include "walk/count/plan_apply.h"

#include <asm/signal.h>
#include <sys/syscall.h>

enum { TRAP_FLAG = 0x100 };

/* ---- the held signal */

/* The kernel's frame is the model of the one to write later: kind and size of the vector state. */
static void hold(struct thread *thread, const struct held_signal *held,
                 struct kernel_ucontext *frame)
{
    uint32_t bytes;
    __builtin_memcpy(&bytes, (const uint8_t *)frame->fpstate + FPSTATE_SIZE_AT, 4);
    thread->frame = *frame;
    __builtin_memcpy(thread->fpstate, (const void *)frame->fpstate,
                     bytes < FPSTATE_BYTES_MAX ? bytes : FPSTATE_BYTES_MAX);
    thread->pending = *held;
    thread->context->interrupt = 1;
    frame->rip = context_rewind(frame->rip);
    frame->mask = ~exact_actions_unblocked();
}

/* Whether a signal is held. What was put aside comes now, and may be. */
static bool aside_done(struct thread *thread)
{
    if (thread->context->interrupt && !thread->pending.signal) {
        thread->context->interrupt = 0;
        exact_aside_return(thread);
    }
    return thread->pending.signal;
}

/* The program's vector registers are live: nothing of ours touches them. */
void exact_signals_deliver(struct thread *thread)
{
    if (!aside_done(thread))
        return;
    exact_frame_mask(UINT64_MAX); /* as in a handler */
    struct held_signal held = thread->pending;
    thread->pending.signal = 0;
    thread->arrived |= thread->walk.moved;
    frame_store(thread->context, &thread->frame);
    frame_vectors_save(thread->fpstate);
    thread->frame.fpstate = (uint64_t)thread->fpstate;
    thread->frame.mask = held.mask;
    exact_frame_deliver(thread, &held, &thread->frame);
}

/* ---- where it came */

static void step_begin(struct thread *thread, const struct held_signal *held,
                       struct kernel_ucontext *frame)
{
    thread->step = *held;
    frame->mask = ~exact_actions_unblocked();
    frame->rflags |= TRAP_FLAG;
}

/* Puts the program's own state into a frame that was taken in translated code. */
static bool state_locate(struct thread *thread, struct kernel_ucontext *frame, struct location *ret)
{
    if (!cache_locate(agent.cache, frame->rip, ret))
        return false;
    frame->rip = ret->pc;
    path_apply(ret->path, thread->context);
    if (ret->in_slot != IN_SLOT_NONE)
        frame->r11 = thread->context->slot_r11;
    if (ret->in_slot == IN_SLOT_R10_R11)
        frame->r10 = thread->context->slot_r10;
    return true;
}

/* Bytes that a guard looks at are gone: the dispatcher finds out. False: it was no guard. */
static bool guard_faulted(struct thread *thread, struct kernel_ucontext *frame)
{
    struct context *context = thread->context;
    if (!cache_contains(agent.cache, frame->rip) ||
        !cache_guards_at(agent.cache, frame->rip, &context->exit))
        return false;
    frame->rcx = context->slot_rcx;
    frame->rdx = context->slot_rdx;
    frame->rip = context->to_guard;
    return true;
}

/* Single steps deliver the held signal: the flag takes effect on the way into the copies. */
void exact_signals_put_off(struct walk *walk)
{
    struct thread *thread = thread_self();
    walk->context->interrupt = thread->step.signal ? 0 : walk->context->interrupt;
    if (thread->step.signal || !aside_done(thread))
        return;
    thread->step = thread->pending;
    thread->pending.signal = 0;
    walk->context->interrupt = 0;
    walk->context->flags |= TRAP_FLAG;
}

static uint64_t step_made(struct thread *thread, struct kernel_ucontext *frame)
{
    struct held_signal held = thread->step;
    struct location location;
    if (context_entering(frame->rip))
        return 0; /* one more */
    if (!cache_contains(agent.cache, frame->rip)) {
        frame->rflags &= ~(uint64_t)TRAP_FLAG;
        thread->step.signal = 0;
        hold(thread, &held, frame);
        return 0;
    }
    if (!state_locate(thread, frame, &location))
        return 0; /* one more */
    frame->rflags &= ~(uint64_t)TRAP_FLAG;
    thread->step.signal = 0;
    exact_cut(thread, &location);
    frame->mask = held.mask;
    exact_frame_deliver(thread, &held, frame);
}

/* The mask when the signal came. Calls that wait with another mask: that one; the frame has the
 * thread's own again. */
static uint64_t mask_in_force(const struct thread *thread, const struct kernel_ucontext *frame)
{
    const uint64_t *gpr = thread->context->gpr;
    uint64_t at, mask;
    if (!exact_called(frame->rip))
        return frame->mask;
    switch (gpr[RAX]) {
    case SYS_rt_sigsuspend: at = gpr[RDI]; break;
    case SYS_ppoll: at = gpr[R10]; break;
    case SYS_epoll_pwait:
    case SYS_epoll_pwait2: at = gpr[R8]; break;
    case SYS_pselect6:
        at = gpr[R9];
        if (at && !program_read(at, &at, 8))
            at = 0;
        break;
    default: return frame->mask;
    }
    return at && program_read(at, &mask, 8) ? mask : frame->mask;
}

static struct held_signal signal_now(const struct thread *thread, int signal,
                                     const uint8_t *siginfo, const struct kernel_ucontext *frame)
{
    struct held_signal now = {
        .signal = signal, .mask = frame->mask, .action = agent.actions[signal]};
    now.handler_mask = mask_in_force(thread, frame) | now.action.mask;
    if (!(now.action.flags & SA_NODEFER))
        now.handler_mask |= exact_actions_bit(signal);
    __builtin_memcpy(now.siginfo, siginfo, SIGINFO_BYTES);
    return now;
}

/* Of the processor's making. */
static bool is_fault(const struct held_signal *held)
{
    int32_t code;
    __builtin_memcpy(&code, held->siginfo + 8, 4);
    return exact_actions_always_ours(held->signal) && code > 0;
}

static uint64_t pass_on(const struct held_signal *held, struct kernel_ucontext *frame)
{
    return signals_pass_on(held->signal, (const int32_t *)(const void *)held->siginfo, frame);
}

/* The program would die of it, or single-steps itself: natively, from here. */
static uint64_t fall_out(struct thread *thread, const struct held_signal *held,
                         struct kernel_ucontext *frame, const struct location *location)
{
    bool again = is_fault(held) && held->signal != SIGTRAP;
    exact_cut(thread, location);
    exact_retire(thread);
    gs_write(thread->context->program_gs);
    return again ? 0 : pass_on(held, frame);
}

static uint64_t in_code(struct thread *thread, struct held_signal *held,
                        struct kernel_ucontext *frame)
{
    struct location location;
    bool fault = is_fault(held);
    if (!state_locate(thread, frame, &location)) {
        step_begin(thread, held, frame);
        return 0;
    }
    if (held->action.handler <= 1 || (held->signal == SIGTRAP && fault))
        return fall_out(thread, held, frame, &location);
    exact_cut(thread, &location);
    uint8_t *address = held->siginfo + SIGINFO_ADDRESS_AT; /* of the instruction, for some */
    if (fault && (held->signal == SIGFPE || held->signal == SIGILL))
        __builtin_memcpy(address, &location.pc, 8);
    exact_frame_deliver(thread, held, frame);
}

/* It is ignored, or another thread removed its handler since the kernel looked. False: it is
 * handled, or kills. */
static bool unhandled(const struct held_signal *held)
{
    if (held->action.handler > 1 || is_fault(held))
        return false;
    if (held->action.handler == 0 && exact_actions_always_ours(held->signal))
        return false;
    if (held->action.handler == 0) /* the kernel has, or is about to have, the default action */
        sys3(SYS_tgkill, sys3(SYS_getpid, 0, 0, 0), sys3(SYS_gettid, 0, 0, 0), held->signal);
    return true;
}

/* Takes off what was counted but did not complete. A held signal comes next, when the fault's
 * handler is about to begin. */
uint64_t exact_signals_fault(struct thread *thread, int signal, uint8_t *siginfo,
                             struct kernel_ucontext *frame, uint32_t exit)
{
    if (frame->rip == thread->context->pc && exit)
        exact_undo(thread, exit);
    else /* reached, and counted nowhere */
        thread->arrived |= thread->walk.moved;
    bool held = thread->pending.signal, blocked = frame->mask & exact_actions_bit(signal);
    if (agent.actions[signal].handler <= 1 || (blocked && !held)) {
        if (exit) /* a trap has executed its instruction, and the trace ends behind it */
            thread->context->pc = frame->rip;
        exact_retire(thread);
        gs_write(thread->context->program_gs);
        return signal == SIGTRAP && !blocked
                   ? signals_pass_on(signal, (const int32_t *)(const void *)siginfo, frame)
                   : 0;
    }
    if (held)
        frame->mask = thread->pending.mask;
    struct held_signal now = signal_now(thread, signal, siginfo, frame);
    if (held) {
        thread->pending.mask = now.handler_mask;
        thread->pending.handler_mask |= now.handler_mask;
        now.handler_mask = ~exact_actions_unblocked();
    }
    exact_frame_deliver(thread, &now, frame);
}

/* While a thread steps, every signal of the processor's ends a step. A trap: the kernel says
 * TRAP_TRACE when the debug status register (DR6) names the cause, and TRAP_BRKPT when it reads 0,
 * which under KVM happens once in about 100,000 steps. A fault: the program is then before the
 * instruction that faults, which will do so again. */
static uint64_t decide(struct thread *thread, int signal, const uint8_t *siginfo,
                       struct kernel_ucontext *frame)
{
    struct held_signal now = signal_now(thread, signal, siginfo, frame);
    if (thread->step.signal && is_fault(&now))
        return step_made(thread, frame);
    if (unhandled(&now))
        return 0;
    if (cache_contains(agent.cache, frame->rip))
        return in_code(thread, &now, frame);
    if (now.action.handler <= 1)
        return pass_on(&now, frame);
    if (exact_calling(frame->rip)) {
        exact_call_interrupted(thread, frame->rcx);
        frame_store(thread->context, frame);
        frame->rip = thread->call_pc;
        exact_frame_deliver(thread, &now, frame);
    }
    hold(thread, &now, frame);
    return 0;
}

__attribute__((used)) static uint64_t exact_decide(int signal, uint8_t *siginfo,
                                                   struct kernel_ucontext *frame)
{
    int32_t code;
    __builtin_memcpy(&code, siginfo + 8, 4);
    uint64_t to, resume = code > 0 ? probe_fault(frame->rip) : 0;
    if (resume) {
        frame->rip = resume;
        return 0;
    }
    if (exact_dispatch_pass(signal, siginfo, frame, &to)) /* before any system call */
        return to;
    struct thread *thread = thread_self();
    if (!thread || !thread->walking)
        return signals_pass_on(signal, (const int32_t *)(const void *)siginfo, frame);
    if (thread->stepping.on && code > 0)
        return exact_step_ended(thread, signal, siginfo, frame);
    if (code > 0 && exact_actions_always_ours(signal) && signal != SIGTRAP &&
        guard_faulted(thread, frame))
        return 0;
    if (exact_aside_put(thread, signal, siginfo))
        return 0;
    return decide(thread, signal, siginfo, frame);
}

__asm__(".pushsection .text\n"
        ".globl exact_entry\n.hidden exact_entry\n"
        "exact_entry:\n"
        "  pushq $2\n  popfq\n"
        "  push %rdi\n  push %rsi\n  push %rdx\n"
        "  call exact_decide\n"
        "  pop %rdx\n  pop %rsi\n  pop %rdi\n"
        "  test %rax,%rax\n  jz 1f\n  jmp *%rax\n"
        "1: ret\n"
        ".popsection\n");
