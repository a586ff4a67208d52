#include "agent/exact/exact_frame.h"

#include "agent/base/frame.h"
#include "agent/base/process.h"
#include "agent/base/program_memory.h"
#include "agent/base/thread.h"
#include "agent/exact/exact_actions.h"
#include "agent/exact/exact_call.h"
#include "agent/exact/exact_counts.h"
#include "agent/exact/exact_pause.h"
#include "agent/exact/exact_thread.h"
#include "agent/signals/altstack.h"
#include "walk/base/sys.h"
#include "walk/count/passages.h"
#include "walk/count/plan_apply.h"

#include <asm/signal.h>
#include <sys/syscall.h>

enum {
    TRAP_FLAG = 0x100,
    RED_ZONE = 128,
    FXSAVE_BYTES = 512, /* of every vector state; what follows depends on the processor */
};

uint64_t exact_frame_mask(uint64_t mask)
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
    uint64_t top = action->flags & SA_ONSTACK ? altstack_top(thread, sp) : 0;
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
    struct kernel_altstack seen = altstack_seen(thread, from->rsp);
    frame.context.stack_sp = seen.sp;
    frame.context.stack_flags = seen.flags;
    frame.context.stack_size = seen.size;
    frame.context.fpstate = vectors;
    __builtin_memcpy(frame.siginfo, siginfo, SIGINFO_BYTES);
    *ret_at = at;
    return program_write(vectors, (const void *)from->fpstate, vector_bytes) &&
           program_write(at, &frame, sizeof frame);
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
    uint32_t transfer = contexts_transfer(cache->contexts, kernel, handler, WAY_COMPUTED_JUMP);
    cache_publish(cache);
    gate_unlock(&cache->gate);
    contexts_apply(cache->contexts, transfer, context);
}

/* The program's path and context are saved under the new stack pointer, for the handler's return.
 */
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

void exact_frame_deliver(struct thread *thread, const struct held_signal *held,
                         const struct kernel_ucontext *from)
{
    struct context *context = thread->context;
    const struct kernel_sigaction *action = &held->action;
    uint64_t at;
    exact_pour(thread, from->rip, action->handler);
    if (!frame_write(thread, action, held->siginfo, from, &at))
        stack_lost();
    altstack_left(thread);
    if (action->flags & SA_RESETHAND)
        exact_actions_reset(held->signal, action->handler);
    frame_load(context, from);
    context->gpr[RSP] = at;
    exact_pause_begin(thread, at + 8, from->rip); /* the restorer's address is popped */
    context_put_by(context, held->signal, action->handler);
    context->gpr[RDI] = (uint64_t)held->signal;
    context->gpr[RSI] = at + offsetof(struct kernel_sigframe, siginfo);
    context->gpr[RDX] = at + offsetof(struct kernel_sigframe, context);
    context->gpr[RAX] = 0;
    context->flags = 0x202;
    context->pc = action->handler;
    context->interrupt = thread->aside || thread->pending.signal;
    exact_frame_mask(held->handler_mask);
    exact_resume(thread);
}

/* ---- the way back */

/* A frame's vector state, copied here: all signals are blocked, and a fault would kill. */
static bool vectors_read(struct thread *thread, uint64_t from, bool *ret_extended)
{
    uint32_t magic, bytes;
    if (!from || !program_read(from, thread->fpstate, FXSAVE_BYTES))
        return false;
    __builtin_memcpy(&magic, thread->fpstate + FPSTATE_MAGIC_AT, 4);
    __builtin_memcpy(&bytes, thread->fpstate + FPSTATE_SIZE_AT, 4);
    *ret_extended = magic == FPSTATE_MAGIC;
    return !*ret_extended ||
           (bytes <= FPSTATE_BYTES_MAX && program_read(from, thread->fpstate, bytes));
}

static void vectors_load(const struct thread *thread, bool extended)
{
    if (extended)
        frame_vectors_load(thread->fpstate);
    else /* the program left no more than what every processor has */
        __asm__ volatile("fxrstor64 (%0)" : : "r"(thread->fpstate) : "memory");
}

/* All signals wait meanwhile: one that came between the test and the new mask would be held with
 * the agent's mask, which its handler's return would make permanent. */
bool exact_frame_return(struct thread *thread)
{
    struct context *context = thread->context;
    struct kernel_ucontext frame;
    bool extended = false;
    uint64_t mask = exact_frame_mask(UINT64_MAX);
    if (context->interrupt) { /* that one first: the mask in force was ours */
        exact_call_postpone(thread, true);
        exact_frame_mask(mask);
        return true;
    }
    if (!program_read(context->gpr[RSP], &frame, sizeof frame) || (frame.rflags & TRAP_FLAG) ||
        !vectors_read(thread, frame.fpstate, &extended)) {
        exact_frame_mask(mask);
        context->pc = thread->call_pc;
        return false;
    }
    exact_pause_end(thread, context->gpr[RSP], frame.rip);
    context_take_back(context);
    frame_load(context, &frame);
    altstack_set(thread, &(struct kernel_altstack){.sp = frame.stack_sp,
                                                   .size = frame.stack_size,
                                                   .flags = (uint32_t)frame.stack_flags});
    vectors_load(thread, extended);
    exact_frame_mask(frame.mask);
    return true;
}
