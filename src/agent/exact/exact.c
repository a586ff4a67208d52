#include "agent/exact/exact.h"

#include "agent/agent.h"
#include "agent/exact/bank.h"
#include "agent/exact/exact_actions.h"
#include "agent/exact/exact_altstack.h"
#include "agent/exact/exact_signals.h"
#include "agent/exact/exact_step.h"
#include "agent/exact/plans.h"
#include "agent/signals/signals.h"
#include "agent/exact/syscalls.h"
#include "agent/thread.h"
#include "agent/exact/trace.h"
#include "walk/base/sys.h"

#include <asm/signal.h>
#include <linux/sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>

/* ---- running */

bool exact_pour(struct thread *thread, uint64_t end_pc, uint64_t next_pc)
{
    return agent.options.mode != RECORD_EXACT_TRACE || trace_pour(thread, end_pc, next_pc);
}

/* Code that a plan covers has no counter: its path goes on when the handler returns, and tells all
 * that ran of it. */
static bool told_by_its_path(const struct copied_block *superblock)
{
    return agent.options.mode != RECORD_EXACT_TRACE && !superblock->counter;
}

void exact_cut(struct thread *thread, const struct location *location)
{
    struct unit_log *units = &agent.cache->units;
    exact_pour(thread, location->superblock->pc, location->pc);
    if (told_by_its_path(location->superblock))
        return;
    gate_lock(&agent.cache->gate, true);
    if (units->room - *units->published >= sizeof(struct wire_cut)) {
        struct wire_cut *cut = (struct wire_cut *)(void *)(units->base + *units->published);
        *cut = (struct wire_cut){.kind = UNIT_CUT,
                                 .bytes = sizeof *cut,
                                 .first_exit = location->superblock->first_exit,
                                 .segment = location->segment,
                                 .instructions = location->instructions};
        __atomic_store_n(units->published, *units->published + sizeof *cut, __ATOMIC_RELEASE);
    } else {
        agent_lose(LOSS_garbled);
    }
    gate_unlock(&agent.cache->gate);
}

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

void exact_retire(struct thread *thread)
{
    thread->walking = 0;
    exact_pour(thread, thread->context->pc, 0);
    if (agent.options.mode == RECORD_EXACT_TRACE)
        trace_end(thread);
    gate_leave(&agent.cache->gate);
    agent_lose(LOSS_exact_left);
    exact_altstack_leave(thread);
}

/* Loads the registers and jumps to where the program stands. What is needed last goes below the red
 * zone of the program's stack, where nothing of it can be. */
__attribute__((noreturn)) static void go_native(void)
{
    __asm__ volatile(
        "pushq %%gs:136\n popfq\n"
        "mov %%gs:32,%%rsp\n"
        "mov %%gs:128,%%rax\n mov %%rax,-136(%%rsp)\n"
        "mov %%gs:0,%%rax\n mov %%rax,-144(%%rsp)\n"
        "mov %%gs:8,%%rcx\n mov %%gs:16,%%rdx\n mov %%gs:24,%%rbx\n mov %%gs:40,%%rbp\n"
        "mov %%gs:48,%%rsi\n mov %%gs:56,%%rdi\n mov %%gs:64,%%r8\n mov %%gs:72,%%r9\n"
        "mov %%gs:80,%%r10\n mov %%gs:88,%%r11\n mov %%gs:96,%%r12\n"
        "mov %%gs:104,%%r13\n mov %%gs:112,%%r14\n mov %%gs:120,%%r15\n"
        "mov %%gs:%c0,%%rax\n wrgsbase %%rax\n"
        "mov -144(%%rsp),%%rax\n jmp *-136(%%rsp)\n"
        :
        : "i"(offsetof(struct context, program_gs)));
    __builtin_unreachable();
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

__attribute__((used, noreturn)) static void exact_run(struct thread *thread)
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
    go_native();
}

/* ---- in */

static void thread_prepare(struct thread *thread)
{
    struct context *context = thread->context;
    thread->walk.syscall = syscalls_run;
    thread->walk.waits = true;
    thread->walk.make_room = make_room;
    thread->walk.step = step_counted;
    thread->walk.put_off = exact_signals_put_off;
    for (uint32_t i = 0; i < CONTEXT_BUDGETS; i++)
        context->budgets[i] = INT64_MIN / 2; /* plain: no end */
    context->interrupt = 0;
    context->path = PLAN_NO_PATH;
    if (agent.cache->contexts)
        contexts_begin(agent.cache->contexts, context);
    thread->pending.signal = thread->step.signal = 0;
    thread->stepping.on = false;
    thread->aside = 0;
}

static void thread_enter(struct thread *thread)
{
    gs_write((uint64_t)thread->context);
    gate_enter(&agent.cache->gate);
    thread->walking = 1;
    if (agent.options.mode == RECORD_EXACT_TRACE)
        trace_begin(thread);
    exact_altstack_enter(thread);
}

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
    thread->context->flags = 0x202;
    cache_expect_all(agent.cache);
    thread->context->program_gs = gs_read();
    thread_prepare(thread);
    exact_actions_begin();
    exact_altstack_begin(thread);
    if (agent.cache->plan)
        frames_forget(thread->context);
    /* by the loader, and by us */
    agent.channel->handler_ticks = agent_cpu_ns() * agent.ticks_per_ms / 1000000;
    thread_enter(thread);
}

void exact_start(uint64_t pc, uint64_t sp)
{
    struct thread *thread = thread_adopt((int32_t)sys3(SYS_gettid, 0, 0, 0));
    /* Not before: the tool answers no channel while it waits for the command that put the agent in.
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

__attribute__((used)) static uint64_t host_top(const struct thread *thread)
{
    return (uint64_t)(thread->context->stack + CONTEXT_STACK_BYTES);
}

__attribute__((used, noreturn)) static void child_run(struct thread *thread);

/* exact_call: a signal that comes before the instruction, or makes the kernel start the call again,
 * finds pc at or before it; %rcx, which the instruction sets, tells the two apart. fork_call: the
 * child may have been given another stack. clone_call: %rdi is the top of the child's host stack,
 * %rsi the child; only the parent returns. exit_call: from the store on, the stack may be another
 * thread's. */
__asm__(".pushsection .text\n"
        ".globl exact_take_over\n.hidden exact_take_over\n"
        "exact_take_over:\n"
        "  push %rbx\n  push %rbp\n  push %r12\n  push %r13\n  push %r14\n  push %r15\n"
        "  mov %rdi,%rbx\n  mov %rdi,%rsi\n  mov %rsp,%rdi\n  and $-16,%rsp\n"
        "  call take_over_prepare\n"
        "  mov %rbx,%rdi\n"
        ".globl exact_resume\n.hidden exact_resume\n"
        "exact_resume:\n"
        "  mov %rdi,%rbx\n  and $-16,%rsp\n  call host_top\n"
        "  mov %rax,%rsp\n  mov %rbx,%rdi\n  call exact_run\n  ud2\n"
        ".globl exact_call\n.hidden exact_call\n"
        "exact_call:\n"
        "  cmpl $0,%gs:192\n  mov $-512,%rax\n  jne 2f\n"
        "  mov %gs:56,%rdi\n  mov %gs:48,%rsi\n  mov %gs:16,%rdx\n  mov %gs:80,%r10\n"
        "  mov %gs:64,%r8\n  mov %gs:72,%r9\n  mov %gs:0,%rax\n  xor %ecx,%ecx\n"
        "exact_call_made:\n"
        "  syscall\n"
        "2: ret\n"
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
extern char exact_call_made[];
long fork_call(void);
long clone_call(uint64_t host_top, struct thread *child);
__attribute__((noreturn)) void exit_call(int status, int32_t *tid);

bool exact_calling(uint64_t pc)
{
    return pc >= (uint64_t)exact_call && pc <= (uint64_t)exact_call_made;
}

bool exact_called(uint64_t pc)
{
    return pc == (uint64_t)exact_call_made + 2;
}

void exact_call_postpone(struct thread *thread, bool poured)
{
    struct context *context = thread->context;
    context->pc = thread->call_pc;
    if (!poured || agent.options.mode != RECORD_EXACT_TRACE)
        exact_step_undo(thread, context->exit);
}

void exact_call_interrupted(struct thread *thread, uint64_t rcx)
{
    struct context *context = thread->context;
    if (!exact_called(rcx)) {
        exact_call_postpone(thread, true);
        return;
    }
    context->gpr[RCX] = thread->call_pc + 2;
    context->gpr[R11] = context->flags;
}

/* ---- children */

static uint64_t signals_block(void)
{
    uint64_t all = UINT64_MAX, before = 0;
    sys6(SYS_rt_sigprocmask, SIG_SETMASK, (long)&all, (long)&before, 8, 0, 0);
    return before;
}

static void signals_restore(uint64_t mask)
{
    sys6(SYS_rt_sigprocmask, SIG_SETMASK, (long)&mask, 0, 8, 0, 0);
}

/* A signal that came before they were blocked is delivered first, before the call: what is in force
 * is our mask, not the program's, and a child must not get it as well. */
static bool signal_first(struct thread *thread, uint64_t mask)
{
    if (!thread->context->interrupt)
        return false;
    exact_call_postpone(thread, true);
    signals_restore(mask);
    return true;
}

struct wish {
    uint64_t flags, stack;
};

/* What a clone asks for; the structure of clone3 is the program's, which may have given a bad
 * address. */
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
    if (!syscalls_read(context->gpr[RDI], &args, bytes))
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
    thread_prepare(child);
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
    thread_identify(thread);
    thread_enter(thread);
    signals_restore(thread->pending.mask);
    exact_run(thread);
}

/* A child with memory of its own has everything but the pages that are shared: those of the code
 * cache, of the counters and of the channel. */
static bool forked(struct thread *thread)
{
    int32_t pid = (int32_t)sys3(SYS_getpid, 0, 0, 0);
    for (uint32_t i = 0; i < agent.n_threads; i++) {
        agent.threads[i].tid = 0;
        if (&agent.threads[i] != thread) /* its bank is the parent's */
            thread_strip(&agent.threads[i]);
    }
    agent.parent = agent.channel;
    agent.pid = pid;
    thread->tid = pid;
    thread->start_cpu_ns = 0;
    bool born = agent_reborn();
    agent_add(&agent.directory->joined, 1);
    if (!born || !bank_map(thread)) {
        thread->walking = 0;
        return false;
    }
    gate_enter(&agent.cache->gate);
    if (agent.options.mode == RECORD_EXACT_TRACE)
        trace_begin(thread);
    return true;
}

static bool fork_here(struct thread *thread, uint64_t stack, uint64_t next)
{
    uint64_t mask = signals_block();
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
    if (result == 0 && stack)
        thread->context->gpr[RSP] = stack;
    if (!goes_on)
        exact_altstack_leave(thread);
    signals_restore(mask);
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
        return fork_here(thread, wish.stack, next);
    uint64_t mask = signals_block();
    if (signal_first(thread, mask))
        return true;
    bool apart = !(wish.flags & (CLONE_THREAD | CLONE_VFORK)); /* when it ends, nobody would know */
    struct thread *child = apart ? NULL : child_make(thread, &wish, mask, next);
    if (!child) { /* natively, and so must its maker go on */
        signals_restore(mask);
        agent_lose(LOSS_thread_native);
        thread->context->pc = thread->call_pc;
        return false;
    }
    long result = clone_call(host_top(child), child);
    result_set(thread->context, result, next);
    if (sys_failed(result))
        child->tid = 0;
    else if (child->borrowed)
        child_return(child);
    signals_restore(mask);
    return true;
}

void exact_exit(struct thread *thread, int status)
{
    signals_block();
    gate_leave(&agent.cache->gate);
    thread_retire(thread);
    exit_call(status, &thread->tid);
}
