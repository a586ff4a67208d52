#include "agent/exact.h"

#include "agent/agent.h"
#include "agent/maps.h"
#include "agent/thread.h"
#include "walk/sys.h"

#include <asm/prctl.h>
#include <sched.h>
#include <linux/prctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

enum { LIBC_CANCEL = 32, LIBC_SETXID = 33 };

/* ---- system calls of the program */

static void finish(void)
{
    struct channel *channel = agent.channel;
    channel->end_tsc = sys_tsc();
    channel_threads(channel)[0].end_cpu_ns = agent_cpu_ns();
    channel->superblocks = agent.cache->translated;
    channel->losses[LOSS_flushed] = agent.cache->flushes;
    channel->code_bytes = agent.cache->code_bytes;
    channel->translate_ticks = agent.cache->translate_ticks;
    __atomic_store_n(&channel->state, CHANNEL_DONE, __ATOMIC_RELEASE);
}

static void code_forget(void)
{
    cache_flush(agent.cache);
    maps_read(agent.regions);
    agent_lose(LOSS_flushed);
}

/* Code that we may have copied has changed its place or its rights. */
static void mapping_changed(uint64_t start, uint64_t bytes)
{
    const struct regions *regions = agent.regions;
    for (uint32_t i = 0; i < regions->n; i++) {
        if (regions->at[i].start >= start + bytes || regions->at[i].end <= start)
            continue;
        code_forget();
        return;
    }
}

static bool returns_twice(long number)
{
    return number == SYS_clone || number == SYS_clone3 || number == SYS_fork || number == SYS_vfork;
}

static void count_child(const struct context *context)
{
    long number = (long)context->gpr[RAX];
    uint64_t flags = 0;
    if (number == SYS_clone)
        flags = context->gpr[RDI];
    if (number == SYS_clone3)
        flags = *(const uint64_t *)context->gpr[RDI];
    agent_lose(flags & CLONE_THREAD ? LOSS_thread_native : LOSS_child_native);
}

/* Handlers run natively: the kernel calls them where they stand. The C library has two signals for
 * itself, below those that programs may use: with threads there is always a handler of one. */
static void count_handler(const struct context *context)
{
    const struct kernel_sigaction *action = (const struct kernel_sigaction *)context->gpr[RSI];
    uint64_t signal = context->gpr[RDI];
    if (action && action->handler > 1 && signal != LIBC_CANCEL && signal != LIBC_SETXID)
        agent_lose(LOSS_signal_native);
}

static long execute(const struct context *context, long number)
{
    const uint64_t *gpr = context->gpr;
    return sys6(number, (long)gpr[RDI], (long)gpr[RSI], (long)gpr[RDX], (long)gpr[R10],
                (long)gpr[R8], (long)gpr[R9]);
}

static bool make_room(struct walk *walk)
{
    cache_flush(walk->cache);
    return true;
}

static bool exact_syscall(struct walk *walk, uint32_t exit)
{
    struct context *context = walk->context;
    uint64_t *gpr = context->gpr;
    long number = (long)gpr[RAX];
    uint64_t start = gpr[RDI], bytes = gpr[RSI];
    struct exit at = *cache_exit(walk->cache, exit);
    if (number == SYS_rt_sigreturn || (number == SYS_arch_prctl && gpr[RDI] == ARCH_SET_GS) ||
        number == SYS_seccomp || (number == SYS_prctl && gpr[RDI] == PR_SET_SECCOMP)) {
        context->pc = at.target - 2;
        return false;
    }
    if (returns_twice(number)) {
        count_child(context);
        context_enter(context, at.link);
        context->pc = at.target;
        return true;
    }
    if (number == SYS_exit_group || number == SYS_exit)
        finish();
    long result = execute(context, number);
    gpr[RAX] = (uint64_t)result;
    gpr[RCX] = context->pc = at.target;
    gpr[R11] = context->flags;
    if (__atomic_exchange_n(&agent.stale, 0, __ATOMIC_ACQUIRE)) /* another thread changed code */
        code_forget();
    if (!sys_failed(result)) {
        if (number == SYS_munmap || number == SYS_mprotect || number == SYS_pkey_mprotect ||
            number == SYS_mremap)
            mapping_changed(start, bytes);
        if ((number == SYS_mmap && (gpr[R10] & MAP_FIXED)) || number == SYS_mremap ||
            number == SYS_shmat)
            mapping_changed((uint64_t)result, number == SYS_mmap ? bytes : gpr[RDX]);
        if (number == SYS_rt_sigaction)
            count_handler(context);
    }
    return true;
}

/* ---- in and out */

void exact_cut(struct thread *thread, const struct location *location)
{
    struct units *units = &agent.cache->units;
    thread->walking = 0;
    agent_lose(LOSS_exact_left);
    if (units->room - *units->published < sizeof(struct wire_cut))
        return;
    struct wire_cut *cut = (struct wire_cut *)(void *)(units->base + *units->published);
    *cut = (struct wire_cut){.kind = UNIT_CUT,
                             .bytes = sizeof *cut,
                             .first_exit = location->superblock->first_exit,
                             .segment = location->segment,
                             .instructions = location->instructions};
    __atomic_store_n(units->published, *units->published + sizeof *cut, __ATOMIC_RELEASE);
}

/* What the way out needs after %gs is the program's again. One thread only ever leaves. */
__attribute__((used)) static uint64_t out_rax, out_pc, out_gs;

__attribute__((used, noreturn)) static void exact_run(struct thread *thread)
{
    struct context *context = thread->context;
    thread->walking = 1;
    thread->program_gs = gs_read();
    gs_write((uint64_t)context);
    bool plain = agent.options.mode == RECORD_EXACT_NONE;
    for (uint32_t i = 0; i < CONTEXT_BUDGETS; i++)
        context->budgets[i] = INT64_MIN / 2; /* plain: no end */
    uint32_t stop = walk_run(&thread->walk, plain ? FLAVOUR_PLAIN : FLAVOUR_COUNT);
    thread->walking = 0;
    agent_lose((enum loss)stop);
    agent_lose(LOSS_exact_left);
    out_rax = context->gpr[RAX];
    out_pc = context->pc;
    out_gs = thread->program_gs;
    __asm__ volatile("pushq %gs:136\n popfq\n"
                     "mov %gs:8,%rcx\n mov %gs:16,%rdx\n mov %gs:24,%rbx\n mov %gs:40,%rbp\n"
                     "mov %gs:48,%rsi\n mov %gs:56,%rdi\n mov %gs:64,%r8\n mov %gs:72,%r9\n"
                     "mov %gs:80,%r10\n mov %gs:88,%r11\n mov %gs:96,%r12\n mov %gs:104,%r13\n"
                     "mov %gs:112,%r14\n mov %gs:120,%r15\n mov %gs:32,%rsp\n"
                     "mov out_gs(%rip),%rax\n wrgsbase %rax\n"
                     "mov out_rax(%rip),%rax\n jmp *out_pc(%rip)\n");
    __builtin_unreachable();
}

/* Keeps what a call must keep and the return address; the rest is dead across a call. */
__attribute__((used)) static uint64_t take_over_prepare(const uint64_t *saved,
                                                        struct thread *thread)
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
    context->flags = 0x202;
    thread->walk.syscall = exact_syscall;
    thread->walk.waits = true;
    thread->walk.make_room = make_room;
    agent.cache->whole = true;
    return (uint64_t)(context->stack + CONTEXT_STACK_BYTES);
}

__asm__(".pushsection .text\n"
        ".globl exact_take_over\n.hidden exact_take_over\n"
        "exact_take_over:\n"
        "  push %rbx\n  push %rbp\n  push %r12\n  push %r13\n  push %r14\n  push %r15\n"
        "  mov %rdi,%rbx\n  mov %rdi,%rsi\n  mov %rsp,%rdi\n  and $-16,%rsp\n"
        "  call take_over_prepare\n"
        "  mov %rax,%rsp\n  mov %rbx,%rdi\n  call exact_run\n  ud2\n"
        ".popsection\n");
