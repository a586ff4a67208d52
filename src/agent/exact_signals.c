#include "agent/exact_signals.h"

#include "agent/agent.h"
#include "agent/exact.h"
#include "agent/exact_actions.h"
#include "agent/exact_altstack.h"
#include "agent/exact_aside.h"
#include "agent/exact_step.h"
#include "agent/signals.h"
#include "agent/syscalls.h"
#include "agent/thread.h"
#include "walk/passages.h"
#include "walk/plan_apply.h"
#include "walk/sys.h"

#include <asm/signal.h>
#include <sys/syscall.h>

enum {
    TRAP_FLAG = 0x100,
    RED_ZONE = 128,
    FXSAVE_BYTES = 512, /* of every vector state; what follows is the processor's own affair */
};

/* Returns the one before. */
static uint64_t mask_set(uint64_t mask)
{
    uint64_t before = 0;
    sys6(SYS_rt_sigprocmask, SIG_SETMASK, (long)&mask, (long)&before, 8, 0, 0);
    return before;
}

/* ---- delivery */

/* Where the kernel would have put the frame. */
static uint64_t frame_place(const struct thread *thread, const struct kernel_sigaction *action,
                            uint64_t sp, uint64_t vector_bytes, uint64_t *ret_vectors)
{
    uint64_t top = action->flags & SA_ONSTACK ? exact_altstack_top(thread, sp) : 0;
    sp = top ? top : sp - RED_ZONE;
    sp = (sp - vector_bytes) & ~UINT64_C(63);
    *ret_vectors = sp;
    return ((sp - sizeof(struct kernel_sigframe)) & ~UINT64_C(15)) - 8;
}

static bool frame_write(struct thread *thread, const struct kernel_sigaction *action,
                        const uint8_t *siginfo, const struct kernel_ucontext *from,
                        uint64_t *ret_at)
{
    struct kernel_sigframe frame = {.restorer = action->restorer, .context = *from};
    uint32_t vector_bytes;
    uint64_t vectors;
    __builtin_memcpy(&vector_bytes, (const uint8_t *)from->fpstate + FPSTATE_SIZE_AT, 4);
    uint64_t at = frame_place(thread, action, from->rsp, vector_bytes, &vectors);
    struct kernel_altstack seen = exact_altstack_seen(thread, from->rsp);
    frame.context.stack_sp = seen.sp;
    frame.context.stack_flags = seen.flags;
    frame.context.stack_size = seen.size;
    frame.context.fpstate = vectors;
    __builtin_memcpy(frame.siginfo, siginfo, SIGINFO_BYTES);
    *ret_at = at;
    return syscalls_write(vectors, (const void *)from->fpstate, vector_bytes) &&
           syscalls_write(at, &frame, sizeof frame);
}

/* No stack to deliver on: the kernel kills such a program. */
__attribute__((noreturn)) static void stack_lost(void)
{
    struct kernel_sigaction fatal = {0};
    uint64_t none = 0;
    sys6(SYS_rt_sigaction, SIGSEGV, (long)&fatal, 0, 8, 0, 0);
    sys6(SYS_rt_sigprocmask, SIG_SETMASK, (long)&none, 0, 8, 0, 0);
    for (;;)
        sys3(SYS_tgkill, sys3(SYS_getpid, 0, 0, 0), sys3(SYS_gettid, 0, 0, 0), SIGSEGV);
}

/* A handler is the child of a root of its own. */
static void context_of_handler(struct context *context, int signal, uint64_t handler)
{
    const uint64_t kernel = 1; /* no place of the program's */
    struct cache *cache = agent.cache;
    contexts_signal(cache->contexts, context, (uint32_t)signal, context->gpr[RSP] + 8);
    gate_lock(&cache->gate, true);
    uint32_t crossing = contexts_crossing(cache->contexts, kernel, handler, WAY_COMPUTED_JUMP);
    cache_publish(cache);
    gate_unlock(&cache->gate);
    contexts_apply(cache->contexts, crossing, context);
}

/* Whatever path and context the program was in goes on when the handler returns: it is put by under the stack pointer that is then in force. */
static void context_put_by(struct context *context, int signal, uint64_t handler)
{
    const struct plan *plan = agent.cache->plan;
    if (!plan)
        return;
    if (agent.cache->contexts)
        context_of_handler(context, signal, handler);
    struct shadow *shadow = context_shadow(context, context->gpr[RSP] + 8);
    passages_forget(context);
    shadow->path = context->path;
    shadow->ticks = sys_tsc() - context->path_began;
    context->path = PLAN_NO_PATH;
    plan_apply(plan, plan_arrival(plan, 0, handler), context);
}

static void context_take_back(struct context *context)
{
    if (!agent.cache->plan)
        return;
    if (agent.cache->contexts)
        contexts_signal_end(agent.cache->contexts, context, context->gpr[RSP]);
    const struct shadow *shadow = context_shadow(context, context->gpr[RSP]);
    passages_forget(context);
    context->path = shadow->path;
    context->path_began = sys_tsc() - shadow->ticks;
}

/* `from` holds the program's state; `mask` is what its handler runs with. */
__attribute__((noreturn)) static void deliver(struct thread *thread, int signal,
                                              const uint8_t *siginfo,
                                              const struct kernel_ucontext *from, uint64_t mask)
{
    struct context *context = thread->context;
    struct kernel_sigaction action = agent.actions[signal];
    uint64_t at;
    exact_pour(thread, from->rip, action.handler);
    if (!frame_write(thread, &action, siginfo, from, &at))
        stack_lost();
    exact_altstack_left(thread);
    if (action.flags & SA_RESETHAND)
        exact_actions_reset(signal);
    signals_state_load(context, from);
    context->gpr[RSP] = at;
    context_put_by(context, signal, action.handler);
    context->gpr[RDI] = (uint64_t)signal;
    context->gpr[RSI] = at + offsetof(struct kernel_sigframe, siginfo);
    context->gpr[RDX] = at + offsetof(struct kernel_sigframe, context);
    context->gpr[RAX] = 0;
    context->flags = 0x202;
    context->pc = action.handler;
    context->interrupt = thread->aside || thread->pending.signal;
    mask_set(mask);
    exact_resume(thread);
}

/* ---- the held signal */

/* The kernel's frame at hand is a pattern for the one to write later: which vector state there is, and how
 * large. */
static void hold(struct thread *thread, int signal, const uint8_t *siginfo,
                 struct kernel_ucontext *frame, uint64_t mask, uint64_t handler_mask)
{
    uint32_t bytes;
    __builtin_memcpy(&bytes, (const uint8_t *)frame->fpstate + FPSTATE_SIZE_AT, 4);
    thread->frame = *frame;
    __builtin_memcpy(thread->fpstate, (const void *)frame->fpstate,
                     bytes < FPSTATE_BYTES_MAX ? bytes : FPSTATE_BYTES_MAX);
    thread->pending.signal = signal;
    thread->pending.mask = mask;
    thread->pending.handler_mask = handler_mask;
    __builtin_memcpy(thread->pending.siginfo, siginfo, SIGINFO_BYTES);
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
    struct held_signal *held = &thread->pending;
    if (!aside_done(thread))
        return;
    int signal = held->signal;
    mask_set(UINT64_MAX); /* as in a handler */
    held->signal = 0;
    signals_state_store(thread->context, &thread->frame);
    signals_vectors_save(thread->fpstate);
    thread->frame.fpstate = (uint64_t)thread->fpstate;
    thread->frame.mask = held->mask;
    deliver(thread, signal, held->siginfo, &thread->frame, held->handler_mask);
}

/* ---- where it came */

static void step_begin(struct thread *thread, int signal, const uint8_t *siginfo,
                       struct kernel_ucontext *frame, uint64_t handler_mask)
{
    thread->step.signal = signal;
    thread->step.mask = frame->mask;
    thread->step.handler_mask = handler_mask;
    __builtin_memcpy(thread->step.siginfo, siginfo, SIGINFO_BYTES);
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

/* The signal that is held is delivered by single steps: the flag takes effect on the way into the copies. */
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
        hold(thread, held.signal, held.siginfo, frame, held.mask, held.handler_mask);
        return 0;
    }
    if (!state_locate(thread, frame, &location))
        return 0; /* one more */
    frame->rflags &= ~(uint64_t)TRAP_FLAG;
    thread->step.signal = 0;
    exact_cut(thread, &location);
    frame->mask = held.mask;
    deliver(thread, held.signal, held.siginfo, frame, held.handler_mask);
}

/* The program would die of it, or single-steps itself: natively, from here. */
static uint64_t fall_out(struct thread *thread, int signal, const uint8_t *siginfo,
                         struct kernel_ucontext *frame, const struct location *location, bool again)
{
    exact_cut(thread, location);
    exact_retire(thread);
    gs_write(thread->context->program_gs);
    return again ? 0 : signals_pass_on(signal, (const int32_t *)(const void *)siginfo, frame);
}

static uint64_t in_code(struct thread *thread, int signal, uint8_t *siginfo,
                        struct kernel_ucontext *frame, uint64_t handler_mask)
{
    int32_t code;
    struct location location;
    __builtin_memcpy(&code, siginfo + 8, 4);
    bool fault = exact_actions_always_ours(signal) && code > 0;
    if (!state_locate(thread, frame, &location)) {
        step_begin(thread, signal, siginfo, frame, handler_mask);
        return 0;
    }
    if (agent.actions[signal].handler <= 1 || (signal == SIGTRAP && fault))
        return fall_out(thread, signal, siginfo, frame, &location, fault && signal != SIGTRAP);
    exact_cut(thread, &location);
    uint8_t *address = siginfo + SIGINFO_ADDRESS_AT; /* of the instruction, for some */
    if (fault && (signal == SIGFPE || signal == SIGILL))
        __builtin_memcpy(address, &location.pc, 8);
    deliver(thread, signal, siginfo, frame, handler_mask);
}

/* The mask that was in force when the signal came: of calls that wait with another mask than the thread's,
 * that one, while the frame already has the thread's own again. */
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
        if (at && !syscalls_read(at, &at, 8))
            at = 0;
        break;
    default: return frame->mask;
    }
    return at && syscalls_read(at, &mask, 8) ? mask : frame->mask;
}

static uint64_t mask_of_handler(const struct thread *thread, int signal,
                                const struct kernel_ucontext *frame)
{
    const struct kernel_sigaction *action = &agent.actions[signal];
    uint64_t mask = mask_in_force(thread, frame) | action->mask;
    return action->flags & SA_NODEFER ? mask : mask | exact_actions_bit(signal);
}

/* What was counted and did not come to its end is taken off. A signal that is held comes right behind, when the
 * fault's handler is about to begin. */
uint64_t exact_signals_fault(struct thread *thread, int signal, uint8_t *siginfo,
                             struct kernel_ucontext *frame, uint32_t exit)
{
    struct context *context = thread->context;
    struct location location;
    if (exit && frame->rip == context->pc && cache_locate_stepped(agent.cache, exit, &location)) {
        if (agent.options.mode == RECORD_EXACT_TRACE) {
            context->record_at -= (int64_t)sizeof *context->records;
            context->payload_at -= cache_exit(agent.cache, exit)->payload;
        }
        exact_cut(thread, &location);
    }
    bool held = thread->pending.signal, blocked = frame->mask & exact_actions_bit(signal);
    if (agent.actions[signal].handler <= 1 || (blocked && !held)) {
        exact_retire(thread);
        gs_write(thread->context->program_gs);
        return signal == SIGTRAP && !blocked
                   ? signals_pass_on(signal, (const int32_t *)(const void *)siginfo, frame)
                   : 0;
    }
    if (held)
        frame->mask = thread->pending.mask;
    uint64_t mask = mask_of_handler(thread, signal, frame);
    if (held) {
        thread->pending.mask = mask;
        thread->pending.handler_mask |= mask;
        mask = ~exact_actions_unblocked();
    }
    deliver(thread, signal, siginfo, frame, mask);
}

/* While a thread steps, every signal of the processor's ends a step. A trap: the kernel says TRAP_TRACE when the debug status
 * register (DR6) names the cause, and TRAP_BRKPT when it reads 0, which under KVM happens once in about 100,000 steps. A
 * fault: the program is then before the instruction that faults, which will do so again. */
static bool is_step(const struct thread *thread, int signal, int32_t code)
{
    return thread->step.signal && code > 0 && exact_actions_always_ours(signal);
}

static uint64_t decide(struct thread *thread, int signal, uint8_t *siginfo,
                       struct kernel_ucontext *frame, int32_t code)
{
    if (is_step(thread, signal, code))
        return step_made(thread, frame);
    uint64_t handler_mask = mask_of_handler(thread, signal, frame);
    if (cache_contains(agent.cache, frame->rip))
        return in_code(thread, signal, siginfo, frame, handler_mask);
    if (agent.actions[signal].handler <= 1)
        return signals_pass_on(signal, (const int32_t *)(const void *)siginfo, frame);
    if (exact_calling(frame->rip)) {
        signals_state_store(thread->context, frame);
        frame->rip = thread->call_pc;
        deliver(thread, signal, siginfo, frame, handler_mask);
    }
    hold(thread, signal, siginfo, frame, frame->mask, handler_mask);
    return 0;
}

__attribute__((used)) static uint64_t exact_decide(int signal, uint8_t *siginfo,
                                                   struct kernel_ucontext *frame)
{
    struct thread *thread = thread_self();
    int32_t code;
    __builtin_memcpy(&code, siginfo + 8, 4);
    if (!thread || !thread->walking)
        return signals_pass_on(signal, (const int32_t *)(const void *)siginfo, frame);
    if (thread->stepping.on && code > 0)
        return exact_step_ended(thread, signal, siginfo, frame);
    uint64_t resume = code > 0 ? witness_fault(frame->rip) | guards_fault(frame->rip) : 0;
    if (resume) {
        frame->rip = resume;
        return 0;
    }
    if (code > 0 && exact_actions_always_ours(signal) && signal != SIGTRAP &&
        guard_faulted(thread, frame))
        return 0;
    if (exact_aside_put(thread, signal, siginfo))
        return 0;
    return decide(thread, signal, siginfo, frame, code);
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

/* ---- the way back */

/* The program's vector state of a frame, copied here: all signals are blocked, and a fault would kill. */
static bool vectors_read(struct thread *thread, uint64_t from, bool *ret_extended)
{
    uint32_t magic, bytes;
    if (!from || !syscalls_read(from, thread->fpstate, FXSAVE_BYTES))
        return false;
    __builtin_memcpy(&magic, thread->fpstate + FPSTATE_MAGIC_AT, 4);
    __builtin_memcpy(&bytes, thread->fpstate + FPSTATE_SIZE_AT, 4);
    *ret_extended = magic == FPSTATE_MAGIC;
    return !*ret_extended ||
           (bytes <= FPSTATE_BYTES_MAX && syscalls_read(from, thread->fpstate, bytes));
}

static void vectors_load(const struct thread *thread, bool extended)
{
    if (extended)
        signals_vectors_load(thread->fpstate);
    else /* the program left no more than what every processor has */
        __asm__ volatile("fxrstor64 (%0)" : : "r"(thread->fpstate) : "memory");
}

/* All signals wait meanwhile: one that came between the question and the new mask would be held with a mask of ours, which the
 * end of its own handler would put in force for good. */
bool exact_signals_return(struct thread *thread)
{
    struct context *context = thread->context;
    struct kernel_ucontext frame;
    bool extended = false;
    uint64_t mask = mask_set(UINT64_MAX);
    if (context->interrupt) { /* that one first: the mask in force was ours */
        mask_set(mask);
        context->pc = thread->call_pc;
        return true;
    }
    if (!syscalls_read(context->gpr[RSP], &frame, sizeof frame) || (frame.rflags & TRAP_FLAG) ||
        !vectors_read(thread, frame.fpstate, &extended)) {
        mask_set(mask);
        context->pc = thread->call_pc;
        return false;
    }
    context_take_back(context);
    signals_state_load(context, &frame);
    exact_altstack_set(thread, &(struct kernel_altstack){.sp = frame.stack_sp,
                                                         .size = frame.stack_size,
                                                         .flags = (uint32_t)frame.stack_flags});
    vectors_load(thread, extended);
    mask_set(frame.mask);
    return true;
}
