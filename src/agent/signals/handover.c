#include "agent/signals/handover.h"

#include "agent/base/process.h"
#include "agent/base/stack_copy.h"
#include "agent/base/thread.h"
#include "agent/sampling/resume.h"
#include "agent/signals/altstack.h"
#include "agent/signals/signals.h"
#include "walk/base/sys.h"

#include <asm/signal.h>
#include <stddef.h>
#include <sys/syscall.h>

enum {
    RED_ZONE = 128,
    LEGACY_VECTOR_BYTES = 512,
    ENTRY_CLEARED = 0x10500, /* resume, direction and trap flag: as the kernel clears them */
};

/* ---- moving a frame */

static uint32_t vector_bytes(const struct kernel_ucontext *frame)
{
    const uint8_t *state = (const uint8_t *)frame->fpstate;
    uint32_t magic, bytes;
    if (!state)
        return 0;
    __builtin_memcpy(&magic, state + FPSTATE_MAGIC_AT, 4);
    __builtin_memcpy(&bytes, state + FPSTATE_SIZE_AT, 4);
    return magic == FPSTATE_MAGIC ? bytes : LEGACY_VECTOR_BYTES;
}

struct place {
    uint64_t frame, vectors;
};

/* Where the kernel would have put the frame. False: it does not fit, of which the kernel kills the
 * program, too. */
static bool place_find(const struct thread *thread, const struct kernel_sigaction *action,
                       const struct kernel_ucontext *from, struct place *ret)
{
    const struct kernel_altstack *own = &thread->altstack;
    uint64_t top = action->flags & SA_ONSTACK ? altstack_top(thread, from->rsp) : 0;
    bool on = altstack_seen(thread, from->rsp).flags & ALTSTACK_ON;
    uint64_t sp = top ? top : from->rsp - RED_ZONE;
    ret->vectors = (sp - vector_bytes(from)) & ~UINT64_C(63);
    ret->frame = ((ret->vectors - sizeof(struct kernel_sigframe)) & ~UINT64_C(15)) - 8;
    return (!top && !on) || ret->frame - own->sp < own->size;
}

static bool frame_write(const struct thread *thread, const struct place *place,
                        const int32_t *siginfo, const struct kernel_ucontext *from)
{
    extern const char moved_restorer[];
    struct kernel_sigframe frame = {.restorer = (uint64_t)moved_restorer, .context = *from};
    struct kernel_altstack seen = altstack_seen(thread, from->rsp);
    uint64_t vectors = vector_bytes(from);
    frame.context.stack_sp = seen.sp;
    frame.context.stack_flags = seen.flags;
    frame.context.stack_size = seen.size;
    frame.context.fpstate = from->fpstate ? place->vectors : 0;
    __builtin_memcpy(frame.siginfo, siginfo, SIGINFO_BYTES);
    return stack_copy_guarded((void *)place->vectors, from->fpstate, vectors) == vectors &&
           stack_copy_guarded((void *)place->frame, (uint64_t)&frame, sizeof frame) == sizeof frame;
}

/* The frame has no place: the program dies of that, as it would alone. */
static void stack_lost(struct kernel_ucontext *frame)
{
    signals_die(SIGSEGV, true);
    frame->mask &= ~(UINT64_C(1) << (SIGSEGV - 1));
}

/* The program has set no stack, and may have found ours by a raw system call. */
static bool expects_ours(const struct thread *thread)
{
    return agent.go && !thread->altstack.size && !thread->altstack.flags;
}

struct thread *handover_due(const struct kernel_ucontext *frame,
                            const struct kernel_sigaction *action)
{
    struct thread *thread = altstack_lender((uint64_t)frame);
    if (!thread || altstack_lender(frame->rsp))
        return NULL;
    return expects_ours(thread) && action->flags & SA_ONSTACK ? NULL : thread;
}

void handover(struct thread *thread, int signal, const int32_t *siginfo,
              struct kernel_ucontext *frame, const struct kernel_sigaction *action, uint64_t mask)
{
    struct place place;
    resume_forget(thread, frame);
    if (!place_find(thread, action, frame, &place) ||
        !frame_write(thread, &place, siginfo, frame)) {
        stack_lost(frame);
        return;
    }
    altstack_left(thread);
    frame->rip = action->handler;
    frame->rsp = place.frame;
    frame->rdi = (uint64_t)signal;
    frame->rsi = place.frame + offsetof(struct kernel_sigframe, siginfo);
    frame->rdx = place.frame + offsetof(struct kernel_sigframe, context);
    frame->rax = 0;
    frame->rflags &= ~(uint64_t)ENTRY_CLEARED;
    frame->mask = mask;
    frame->fpstate = 0; /* handlers begin with a clear one */
}

/* ---- handlers of the program that are entered through us */

static uint64_t mask_set(uint64_t mask)
{
    uint64_t before = 0;
    sys6(SYS_rt_sigprocmask, SIG_SETMASK, (long)&mask, (long)&before, 8, 0, 0);
    return before;
}

/* It is sent again, and waits until the handler of the one before begins. With which mask that
 * begins would be forgotten. */
bool handover_put_off(int signal, const int32_t *siginfo, struct kernel_ucontext *frame)
{
    struct thread *thread = altstack_lender((uint64_t)frame);
    if (!thread || !altstack_lender(frame->rsp) || !agent_is_own(frame->rip) ||
        expects_ours(thread))
        return false;
    if (!thread->entry_mask_kept || frame->rsp > thread->entry_sp) { /* of the first that came */
        thread->entry_mask = frame->mask;
        thread->entry_sp = frame->rsp;
    }
    thread->entry_mask_kept = true;
    frame->mask |= ~signals_faults() | UINT64_C(1) << (signal - 1); /* samples need the others */
    mask_set(~UINT64_C(0));
    sys6(SYS_rt_tgsigqueueinfo, sys3(SYS_getpid, 0, 0, 0), sys3(SYS_gettid, 0, 0, 0), signal,
         (long)siginfo, 0, 0);
    return true;
}

/* The program's handler, to jump to on the stack at hand; 0: just return. */
__attribute__((used)) static uint64_t program_decide(int signal, const int32_t *siginfo,
                                                     struct kernel_ucontext *frame)
{
    struct kernel_sigaction action = agent.actions[signal];
    if (handover_put_off(signal, siginfo, frame))
        return 0;
    struct thread *thread = handover_due(frame, &action);
    if (!thread) {
        struct thread *lender = altstack_lender((uint64_t)frame);
        if (lender)
            resume_forget(lender, frame);
        if (action.flags & KERNEL_SA_RESTORER)
            ((uint64_t *)frame)[-1] = action.restorer;
        return action.handler;
    }
    uint64_t mask = mask_set(~UINT64_C(0)); /* the kernel has made it what the handler needs */
    if (thread->entry_mask_kept)
        mask = thread->entry_mask;
    thread->entry_mask_kept = false;
    handover(thread, signal, siginfo, frame, &action, mask);
    return 0;
}

/* The end of a handler whose frame was moved. The stack that the program has set is what the frame
 * says, as for the kernel; the kernel keeps ours. There may be no room on the stack, so this needs
 * none: it asks the kernel for its alternate stack, right into the frame, and finds the thread by
 * it. Signals wait meanwhile. A program may return by one frame twice (signal_again.c): the second
 * time our stack stands in it, and the program's is what it was.
 *
 * Unwinders know the frame by its rules, which must begin a byte before: they look where the call
 * would have been. */
__attribute__((used)) static const uint64_t moved_all = ~UINT64_C(0);
__attribute__((used)) static const uint64_t moved_bytes = CHANNEL_THREADS * sizeof(struct thread);
__attribute__((used)) static const uint64_t moved_kept =
    offsetof(struct thread, altstack) - offsetof(struct thread, signal_stack);
__attribute__((used)) static uint64_t moved_threads; /* where they lie; 0: no frame is moved */

/* clang-format off */
#define RULE(register, at) ".cfi_escape 0x10," #register ",3,0x77," at "\n"
__asm__(".pushsection .text\n"
        "program_entry:\n"
        "  pushq $2\n  popfq\n"
        "  push %rdi\n  push %rsi\n  push %rdx\n"
        "  call program_decide\n"
        "  pop %rdx\n  pop %rsi\n  pop %rdi\n"
        "  test %rax,%rax\n  jz 1f\n"
        "  push %rax\n  xor %eax,%eax\n  ret\n"
        "1: ret\n"
        ".cfi_startproc\n.cfi_signal_frame\n"
        ".cfi_escape 0x0f,4,0x77,0xa0,1,6\n" /* the stack pointer, at 160 */
        RULE(8, "0xa8,0") RULE(9, "0xb0,0") RULE(10, "0xb8,0") RULE(11, "0xc0,0")
        RULE(12, "0xc8,0") RULE(13, "0xd0,0") RULE(14, "0xd8,0") RULE(15, "0xe0,0")
        RULE(5, "0xe8,0") RULE(4, "0xf0,0") RULE(6, "0xf8,0") RULE(3, "0x80,1")
        RULE(1, "0x88,1") RULE(0, "0x90,1") RULE(2, "0x98,1") RULE(7, "0xa0,1")
        RULE(16, "0xa8,1")
        "  nop\n"
        "moved_restorer:\n"
        "  .byte 0x48,0xc7,0xc0,15,0,0,0\n  jmp 4f\n4:\n" /* as view/verify_plain.c knows it */
        "  mov $14,%eax\n  mov $2,%edi\n  lea moved_all(%rip),%rsi\n  xor %edx,%edx\n"
        "  mov $8,%r10d\n  syscall\n" /* rt_sigprocmask */
        "  mov 16(%rsp),%r12\n  mov 24(%rsp),%r13d\n  mov 32(%rsp),%r14\n"
        "  mov $131,%eax\n  xor %edi,%edi\n  lea 16(%rsp),%rsi\n  syscall\n" /* sigaltstack */
        "  mov 16(%rsp),%rbx\n  cmp %rbx,%r12\n  je 3f\n  mov %rbx,%rax\n"
        "  sub moved_threads(%rip),%rax\n  cmp moved_bytes(%rip),%rax\n  jae 1f\n"
        "  add moved_kept(%rip),%rbx\n"
        "  test $2,%r13d\n  jz 2f\n  xor %r14d,%r14d\n"
        "2: and $0x80000002,%r13d\n"
        "  mov %r12,(%rbx)\n  mov %r13d,8(%rbx)\n  mov %r14,16(%rbx)\n"
        "  jmp 3f\n"
        "1: mov %r12,16(%rsp)\n  mov %r13d,24(%rsp)\n  mov %r14,32(%rsp)\n"
        "3: mov $15,%eax\n  syscall\n  ud2\n"
        ".cfi_endproc\n"
        ".popsection\n");
/* clang-format on */
extern const char program_entry[];

/* Those who cannot see their frame, and need no stack, are left to the kernel. */
static bool wanted(const struct kernel_sigaction *action)
{
    return action->handler > 1 && action->flags & (SA_ONSTACK | SA_SIGINFO);
}

static long action_change(int signal, const struct kernel_sigaction *set,
                          struct kernel_sigaction *ret_old)
{
    return sys6(SYS_rt_sigaction, signal, (long)set, (long)ret_old, 8, 0, 0);
}

static struct kernel_sigaction through_us(const struct kernel_sigaction *program)
{
    struct kernel_sigaction action = *program;
    action.handler = (uint64_t)program_entry;
    action.flags |= SA_ONSTACK | SA_SIGINFO | KERNEL_SA_RESTORER;
    action.restorer = signals_restorer();
    return action;
}

/* A child that shares our memory, or has a copy (vfork, raw fork), sets what it likes: the kernel
 * keeps that apart. */
bool handover_action(int signal, const struct kernel_sigaction *set,
                     struct kernel_sigaction *ret_old)
{
    struct kernel_sigaction old, now = set ? *set : (struct kernel_sigaction){0};
    bool child = sys3(SYS_getpid, 0, 0, 0) != agent.pid;
    bool wants = set && wanted(set) && !child && signal != SIGKILL && signal != SIGSTOP;
    if (!moved_threads || sys_failed(action_change(signal, NULL, &old)))
        return false;
    bool through = old.handler == (uint64_t)program_entry;
    if (!through && !wants)
        return false;
    if (ret_old)
        *ret_old = through ? agent.actions[signal] : old;
    now.flags |= KERNEL_SA_RESTORER;
    now.restorer = signals_restorer();
    if (wants) {
        agent.actions[signal] = *set;
        now = through_us(set);
    }
    if (set)
        action_change(signal, &now, NULL);
    return true;
}

void handover_begin(void)
{
    for (int signal = 1; signal < AGENT_SIGNALS; signal++) {
        struct kernel_sigaction now;
        if (agent.own[signal] || sys_failed(action_change(signal, NULL, &now)) || !wanted(&now))
            continue;
        agent.actions[signal] = now;
        now = through_us(&now);
        action_change(signal, &now, NULL);
    }
    moved_threads = (uint64_t)agent.threads;
}

void handover_end(void)
{
    struct thread *thread = thread_self();
    for (int signal = 1; moved_threads && signal < AGENT_SIGNALS; signal++) {
        struct kernel_sigaction now;
        if (!sys_failed(action_change(signal, NULL, &now)) &&
            now.handler == (uint64_t)program_entry) {
            now = agent.actions[signal];
            if (!(now.flags & KERNEL_SA_RESTORER))
                now.restorer = signals_restorer();
            now.flags |= KERNEL_SA_RESTORER;
            action_change(signal, &now, NULL);
        }
    }
    moved_threads = 0;
    if (thread)
        altstack_take_back(thread);
}
