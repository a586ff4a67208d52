#include "agent/exact/exact_clone.h"

#include "agent/base/descriptor.h"
#include "agent/base/process.h"
#include "agent/base/program_memory.h"
#include "agent/base/thread.h"
#include "agent/exact/exact_actions.h"
#include "agent/exact/exact_altstack.h"
#include "agent/exact/exact_call.h"
#include "agent/exact/exact_counts.h"
#include "agent/exact/exact_dispatch.h"
#include "agent/exact/exact_frame.h"
#include "agent/exact/exact_pause.h"
#include "agent/exact/exact_thread.h"
#include "agent/threads/bank.h"
#include "agent/threads/begin.h"
#include "agent/threads/threads.h"
#include "agent/threads/trace.h"
#include "walk/count/event_clock.h"
#include "walk/base/sys.h"

#include <linux/sched.h>
#include <sys/syscall.h>

__attribute__((used, noreturn)) static void child_run(struct thread *thread);

/* fork_call: the child may have been given another stack. clone_call: %rdi is the top of the
 * child's host stack, %rsi the child; only the parent returns. exit_call: from the store on, the
 * stack may be another thread's. */
__asm__(".pushsection .text\n"
        "fork_call:\n"
        "  push %r12\n  mov %rsp,%r12\n"
        "  mov %gs:56,%rdi\n  mov %gs:48,%rsi\n  mov %gs:16,%rdx\n  mov %gs:80,%r10\n"
        "  mov %gs:64,%r8\n  mov %gs:72,%r9\n  mov %gs:0,%rax\n"
        "  syscall\n  mov %r12,%rsp\n  pop %r12\n  ret\n"
        "clone_call:\n"
        "  push %r12\n  push %r13\n  mov %rdi,%r12\n  mov %rsi,%r13\n"
        "  mov %gs:56,%rdi\n  mov %gs:48,%rsi\n  mov %gs:16,%rdx\n  mov %gs:80,%r10\n"
        "  mov %gs:64,%r8\n  mov %gs:72,%r9\n  mov %gs:0,%rax\n"
        "  syscall\n"
        "  test %rax,%rax\n  jz 1f\n"
        "  pop %r13\n  pop %r12\n  ret\n"
        "1: mov %r12,%rsp\n  mov %r13,%rdi\n  call child_run\n  ud2\n"
        "exit_call:\n"
        "  movl $0,(%rsi)\n  mov $60,%eax\n  syscall\n  ud2\n"
        ".popsection\n");
long fork_call(void);
long clone_call(uint64_t host_top, struct thread *child);
__attribute__((noreturn)) void exit_call(int status, int32_t *tid);

/* A signal that came before they were blocked is delivered first, before the call: the agent's mask
 * is in force, and a child must not get the signal as well. */
static bool signal_first(struct thread *thread, uint64_t mask)
{
    if (!thread->context->interrupt)
        return false;
    exact_call_postpone(thread, true);
    exact_frame_mask(mask);
    return true;
}

struct wish {
    uint64_t flags, stack;
};

/* What a clone asks for; clone3's structure may be at a bad address. */
static bool wish_read(const struct context *context, struct wish *ret)
{
    struct clone_args args = {0};
    switch (context->gpr[RAX]) {
    case SYS_fork: *ret = (struct wish){0, 0}; return true;
    case SYS_vfork: *ret = (struct wish){CLONE_VM | CLONE_VFORK, 0}; return true;
    case SYS_clone: *ret = (struct wish){context->gpr[RDI], context->gpr[RSI]}; return true;
    default: break;
    }
    uint64_t bytes = context->gpr[RSI] < sizeof args ? context->gpr[RSI] : sizeof args;
    if (!program_read(context->gpr[RDI], &args, bytes))
        return false;
    *ret = (struct wish){args.flags, args.stack ? args.stack + args.stack_size : 0};
    return true;
}

static void result_set(struct context *context, long result, uint64_t next)
{
    context->gpr[RAX] = (uint64_t)result;
    context->gpr[RCX] = context->pc = next;
    context->gpr[R11] = context->flags;
}

static void callbacks_inherit(struct thread *child, const struct thread *parent)
{
    child->walk.syscall = parent->walk.syscall;
    child->walk.waits = parent->walk.waits;
    child->walk.make_room = parent->walk.make_room;
    child->walk.step = parent->walk.step;
    child->walk.put_off = parent->walk.put_off;
    child->loop = parent->loop;
}

/* A thread of its own, or the child of a vfork, which is one until it calls exec. */
static struct thread *child_make(struct thread *parent, const struct wish *wish, uint64_t mask,
                                 uint64_t next)
{
    struct thread *child = thread_reserve();
    if (!child || !thread_equip(child)) {
        if (child)
            child->tid = 0;
        return NULL;
    }
    struct context *context = child->context;
    callbacks_inherit(child, parent);
    exact_prepare(child);
    for (uint32_t i = 0; i < 16; i++)
        context->gpr[i] = parent->context->gpr[i];
    context->flags = parent->context->flags;
    result_set(context, 0, next);
    if (wish->stack)
        context->gpr[RSP] = wish->stack;
    context->program_gs = parent->context->program_gs;
    child->borrowed = !(wish->flags & CLONE_THREAD);
    child->pending.mask = mask;
    child->altstack = (struct kernel_altstack){.flags = ALTSTACK_DISABLE};
    if (wish->flags & CLONE_VFORK)
        child->altstack = parent->altstack;
    return child;
}

static void child_run(struct thread *thread)
{
    exact_dispatch_forget();
    thread_identify(thread);
    exact_enter(thread);
    exact_frame_mask(thread->pending.mask);
    thread->loop(thread);
    __builtin_unreachable();
}

/* A child with memory of its own shares code cache, counters and channel with its parent. */
static bool forked(struct thread *thread)
{
    int32_t pid = (int32_t)sys3(SYS_getpid, 0, 0, 0);
    descriptor_program_forked(); /* here, since the agent opens files before the program's atfork */
    for (uint32_t i = 0; i < agent.n_threads; i++) {
        agent.threads[i].tid = 0;
        if (&agent.threads[i] != thread) /* its bank is the parent's */
            thread_strip(&agent.threads[i]);
    }
    agent.parent = agent.channel;
    agent.pid = pid;
    event_clock_close(thread->context);
    thread->tid = pid;
    thread->start_cpu_ns = 0;
    thread->dispatching = (struct dispatching){0};
    exact_pauses_forget(thread);
    bool born = agent_reborn();
    agent_add(&agent.directory->joined, 1);
    if (!born || !bank_map(thread)) {
        thread->walking = 0;
        return false;
    }
    event_clock_begin(thread->context);
    gate_enter(&agent.cache->gate);
    if (agent.options.mode == RECORD_EXACT_TRACE)
        trace_begin(thread);
    return true;
}

static bool fork_here(struct thread *thread, const struct wish *wish, uint64_t next)
{
    uint64_t mask = exact_frame_mask(UINT64_MAX);
    if (signal_first(thread, mask))
        return true;
    agent_add(&agent.directory->forked, 1);
    bank_fork(thread);
    long result = fork_call();
    if (result < 0)
        agent_add(&agent.directory->joined, 1); /* there is none */
    bool goes_on = result != 0 || forked(thread);
    bank_forked(thread);
    result_set(thread->context, result, next);
    if (result == 0 && goes_on)
        exact_pour(thread, next, next);
    if (result == 0 && wish->stack)
        thread->context->gpr[RSP] = wish->stack;
    if (result == 0 && wish->flags & CLONE_CLEAR_SIGHAND)
        exact_actions_cleared();
    if (!goes_on)
        exact_altstack_leave(thread);
    exact_frame_mask(mask);
    return goes_on;
}

/* The child of a vfork has called exec, or ended, and left everything as it was. */
static void child_return(struct thread *child)
{
    if (child->walking)
        gate_leave(&agent.cache->gate);
    thread_release(child);
}

bool exact_clone(struct thread *thread, uint64_t next)
{
    struct wish wish;
    if (!wish_read(thread->context, &wish)) {
        result_set(thread->context, exact_call(), next); /* the kernel says what is wrong with it */
        return true;
    }
    if (!(wish.flags & CLONE_VM))
        return fork_here(thread, &wish, next);
    uint64_t mask = exact_frame_mask(UINT64_MAX);
    if (signal_first(thread, mask))
        return true;
    bool apart = !(wish.flags & (CLONE_THREAD | CLONE_VFORK)); /* when it ends, nobody would know */
    struct thread *child = apart ? NULL : child_make(thread, &wish, mask, next);
    if (!child) { /* natively, and so must its maker go on */
        exact_frame_mask(mask);
        agent_lose(LOSS_thread_native);
        thread->context->pc = thread->call_pc;
        return false;
    }
    long result = clone_call(exact_host_top(child), child);
    result_set(thread->context, result, next);
    if (sys_failed(result))
        child->tid = 0;
    else if (child->borrowed)
        child_return(child);
    exact_frame_mask(mask);
    return true;
}

void exact_exit(struct thread *thread, int status)
{
    exact_frame_mask(UINT64_MAX);
    exact_pauses_publish(thread);
    gate_leave(&agent.cache->gate);
    thread_retire(thread);
    exit_call(status, &thread->tid);
}
