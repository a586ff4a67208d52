#include "agent/exact/syscalls.h"

#include "agent/base/clock.h"
#include "agent/base/process.h"
#include "agent/base/program_memory.h"
#include "agent/base/stale.h"
#include "agent/base/thread.h"
#include "agent/channel/maps.h"
#include "agent/channel/plans.h"
#include "agent/exact/exact_actions.h"
#include "agent/exact/exact_altstack.h"
#include "agent/exact/exact_call.h"
#include "agent/exact/exact_clone.h"
#include "agent/exact/exact_counts.h"
#include "agent/exact/exact_dispatch.h"
#include "agent/exact/exact_frame.h"
#include "agent/exact/exact_pause.h"
#include "agent/exact/successor.h"
#include "agent/threads/footprint.h"
#include "walk/base/sys.h"

#include <asm/prctl.h>
#include <asm/signal.h>
#include <fcntl.h>
#include <linux/prctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

enum { BAD_ADDRESS = 14 /* EFAULT */ };

/* ---- code that changes */

/* Copies of unmapped code must not be found any more; a thread that is still in one runs what it
 * would have run natively: code that is unmapped while it runs. */
static void code_forget(void)
{
    struct cache *cache = agent.cache;
    gate_lock(&cache->gate, true);
    if (gate_alone(&cache->gate))
        cache_flush(cache);
    else
        cache_forget(cache);
    maps_read(agent.regions);
    plans_await();
    gate_unlock(&cache->gate);
    agent_lose(LOSS_flushed);
}

struct range {
    uint64_t start, bytes;
};

/* Only code that is guarded anyway: a JIT's. What such programs do for each piece of code must not
 * cost all copies, nor fill the log of superblocks with the same ones again and again. */
static void code_spoil(const struct range *ranges)
{
    struct cache *cache = agent.cache;
    gate_lock(&cache->gate, true);
    for (uint32_t i = 0; i < 2; i++)
        if (ranges[i].bytes)
            cache_spoil(cache, ranges[i].start, ranges[i].bytes);
    maps_read(agent.regions);
    plans_await();
    gate_unlock(&cache->gate);
}

enum change { CHANGE_NONE, CHANGE_GUARDED, CHANGE_LASTING };

/* Code that we may have copied has changed its place or its rights. */
static enum change range_changed(const struct range *range)
{
    const struct regions *regions = agent.regions;
    enum change change = CHANGE_NONE;
    for (uint32_t i = 0; i < regions->n; i++) {
        const struct region *region = &regions->at[i];
        if (region->start >= range->start + range->bytes || region->end <= range->start)
            continue;
        if (region->kind == REGION_LASTING)
            return CHANGE_LASTING;
        change = CHANGE_GUARDED;
    }
    return change;
}

/* The size of a System V segment, which shmat maps whole; the most, if it cannot be read. */
static uint64_t segment_bytes(uint64_t id)
{
    enum { STATUS = 2, BYTES_AT = 6 }; /* IPC_STAT; a word of struct shmid64_ds */
    uint64_t status[32];
    long result = sys3(SYS_shmctl, (long)id, STATUS, (long)status);
    return sys_failed(result) ? UINT64_C(1) << 46 : status[BYTES_AT];
}

/* The bytes whose mapping a call has changed: at most two ranges. */
static void ranges_of_call(const uint64_t *gpr, long number, long result, struct range ret[2])
{
    switch (number) {
    case SYS_munmap:
    case SYS_mprotect:
    case SYS_pkey_mprotect: ret[0] = (struct range){gpr[RDI], gpr[RSI]}; break;
    case SYS_mremap:
        ret[0] = (struct range){gpr[RDI], gpr[RSI]};
        ret[1] = (struct range){(uint64_t)result, gpr[RDX]};
        break;
    case SYS_mmap:
        if (gpr[R10] & MAP_FIXED)
            ret[0] = (struct range){(uint64_t)result, gpr[RSI]};
        break;
    case SYS_shmat: ret[0] = (struct range){(uint64_t)result, segment_bytes(gpr[RDI])}; break;
    case SYS_shmdt: ret[0] = (struct range){gpr[RDI], 1}; break;
    default: break;
    }
}

static void code_follow(const struct context *context, long number, long result)
{
    struct range ranges[2] = {{0}};
    enum change change =
        __atomic_exchange_n(&agent.stale, 0, __ATOMIC_ACQUIRE) ? CHANGE_LASTING : CHANGE_NONE;
    ranges_of_call(context->gpr, number, result, ranges);
    if ((number == SYS_mprotect || number == SYS_pkey_mprotect) && context->gpr[RDX] & PROT_WRITE)
        agent_code_writable(ranges[0].start, ranges[0].bytes);
    for (uint32_t i = 0; i < 2; i++) {
        enum change other = ranges[i].bytes ? range_changed(&ranges[i]) : CHANGE_NONE;
        change = other > change ? other : change;
    }
    if (change == CHANGE_LASTING)
        code_forget();
    else if (change == CHANGE_GUARDED)
        code_spoil(ranges);
}

/* ---- the end */

/* Threads that a call which ends them all finds between two counters, at most. */
static uint64_t others(void)
{
    return __atomic_load_n(&agent.cache->gate.users, __ATOMIC_SEQ_CST) - 1;
}

/* Counts of other threads are whole when the process is gone. */
static void finish(struct thread *thread)
{
    struct channel *channel = agent.channel;
    exact_pauses_publish(thread);
    channel->end_tsc = sys_tsc();
    thread->wire->end_cpu_ns = agent_cpu_ns();
    channel->superblocks = agent.cache->translated;
    channel->code_bytes = agent.cache->zones.code_bytes;
    channel->translate_ticks = agent.cache->translate_ticks;
    channel->losses[LOSS_aborted] = agent.cache->aborts;
    channel->memory_bytes = footprint_bytes();
    uint64_t cut_off = others();
    bool alone = cut_off == 0;
    agent_add(&channel->losses[LOSS_cut_off], cut_off);
    __atomic_store_n(&channel->state, alone ? CHANNEL_DONE : CHANNEL_ENDING, __ATOMIC_RELEASE);
}

/* Signals are blocked first: restarting after each would never end under a fast timer. */
static long end(struct thread *thread)
{
    uint64_t mask = exact_frame_mask(UINT64_MAX);
    if (thread->context->interrupt) {
        exact_frame_mask(mask);
        return EXACT_AGAIN;
    }
    finish(thread);
    return exact_call();
}

/* ---- one call */

/* The program's %gs: ours is in its place. */
static long gs_answer(struct thread *thread)
{
    const uint64_t *gpr = thread->context->gpr;
    if (gpr[RDI] == ARCH_SET_GS) {
        if (gpr[RSI] >> 47)
            return -1; /* EPERM */
        thread->context->program_gs = gpr[RSI];
        return 0;
    }
    return program_write(gpr[RSI], &thread->context->program_gs, 8) ? 0 : -BAD_ADDRESS;
}

/* After a seccomp filter the agent's system calls might kill the program; and the dispatcher needs
 * the time stamp counter, which a thread may give up. */
static bool ends_the_run(const struct context *context)
{
    const uint64_t *gpr = context->gpr;
    bool filters = gpr[RDI] == PR_SET_SECCOMP;
    bool forbids = gpr[RDI] == PR_SET_TSC && gpr[RSI] == PR_TSC_SIGSEGV;
    return gpr[RAX] == SYS_seccomp || (gpr[RAX] == SYS_prctl && (filters || forbids));
}

/* Comes back only if it failed. */
static long become(const struct thread *thread, const uint64_t *gpr, bool at)
{
    uint64_t unseen = at ? !successor_follows((int)gpr[RDI], gpr[RSI], gpr[R10])
                         : !successor_follows(AT_FDCWD, gpr[RDI], gpr[RDX]);
    uint64_t *losses = agent.channel->losses, cut_off = thread->borrowed ? 0 : others();
    __atomic_fetch_add(&losses[LOSS_no_agent], unseen, __ATOMIC_RELAXED);
    __atomic_fetch_add(&losses[LOSS_cut_off], cut_off, __ATOMIC_RELAXED);
    if (!thread->borrowed)
        agent.channel->becoming = 1;
    exact_actions_ignore(true);
    long result = exact_call();
    exact_actions_ignore(false);
    if (!thread->borrowed)
        agent.channel->becoming = 0;
    __atomic_fetch_sub(&losses[LOSS_no_agent], unseen, __ATOMIC_RELAXED);
    __atomic_fetch_sub(&losses[LOSS_cut_off], cut_off, __ATOMIC_RELAXED);
    return result;
}

/* Pages are locked at their first use: else the agent's mappings would be paged in too, 17 GiB for
 * a thread with a shadow of its stack. */
static long lock_all(struct context *context)
{
    enum { KNOWN = MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT };
    uint64_t flags = context->gpr[RDI];
    bool locks = flags & (MCL_CURRENT | MCL_FUTURE) && !(flags & ~(uint64_t)KNOWN);
    context->gpr[RDI] |= locks ? MCL_ONFAULT : 0;
    long result = exact_call();
    context->gpr[RDI] = flags;
    return result;
}

static long run(struct thread *thread, long number)
{
    const uint64_t *gpr = thread->context->gpr;
    switch (number) {
    case SYS_rt_sigaction:
        if (!thread->borrowed)
            return exact_actions_change(gpr[RDI], gpr[RSI], gpr[RDX], gpr[R10]);
        break;
    case SYS_sigaltstack: return exact_altstack_change(thread, gpr[RDI], gpr[RSI]);
    case SYS_arch_prctl:
        if (gpr[RDI] == ARCH_SET_GS || gpr[RDI] == ARCH_GET_GS)
            return gs_answer(thread);
        break;
    case SYS_mlockall: return lock_all(thread->context);
    case SYS_prctl:
        if (gpr[RDI] == PR_SET_SYSCALL_USER_DISPATCH)
            return exact_dispatch_change(thread);
        break;
    case SYS_exit:
        if (!thread->borrowed)
            exact_exit(thread, (int)gpr[RDI]);
        break;
    case SYS_exit_group:
        if (!thread->borrowed)
            return end(thread);
        break;
    default: break;
    }
    if (number == SYS_execve || number == SYS_execveat)
        return become(thread, gpr, number == SYS_execveat);
    long result = exact_call();
    if (!sys_failed(result))
        code_follow(thread->context, number, result);
    return result;
}

/* It returns at once, and nothing has happened but that a signal is held. */
static void dispatched(struct thread *thread, uint64_t next)
{
    struct context *context = thread->context;
    uint64_t mask = exact_frame_mask(UINT64_MAX);
    if (context->interrupt) { /* that one first */
        exact_call_postpone(thread, true);
    } else {
        context->gpr[RCX] = context->pc = next;
        context->gpr[R11] = context->flags;
        exact_dispatch_send(thread);
    }
    exact_frame_mask(mask);
}

static bool answer(struct thread *thread, uint64_t next)
{
    struct context *context = thread->context;
    long number = (long)context->gpr[RAX];
    thread->call_pc = next - 2;
    if (context->interrupt) {
        exact_call_postpone(thread, false);
        return true;
    }
    if (!exact_pour(thread, next, next)) { /* while a call waits, nothing is held back */
        context->pc = thread->call_pc;
        return false;
    }
    enum dispatch dispatch = exact_dispatch_judge(thread, next);
    if (dispatch == DISPATCH_SIGNAL) {
        dispatched(thread, next);
        return true;
    }
    if (dispatch == DISPATCH_NATIVE || ends_the_run(context)) {
        context->pc = thread->call_pc;
        return false;
    }
    switch (number) {
    case SYS_rt_sigreturn: return exact_frame_return(thread);
    case SYS_clone:
    case SYS_clone3:
    case SYS_fork:
    case SYS_vfork: return exact_clone(thread, next);
    default: break;
    }
    long result = run(thread, number);
    if (result == EXACT_AGAIN) {
        exact_call_postpone(thread, true);
        return true;
    }
    context->gpr[RAX] = (uint64_t)result;
    context->gpr[RCX] = context->pc = next;
    context->gpr[R11] = context->flags;
    return true;
}

/* Calls that signals come before, and the ends of handlers, lead elsewhere than behind the call. */
bool syscalls_run(struct walk *walk, uint64_t next)
{
    struct thread *thread = (struct thread *)((char *)walk - offsetof(struct thread, walk));
    bool goes_on = answer(thread, next);
    if (thread->walking && walk->context->pc != next)
        exact_pour(thread, next, walk->context->pc);
    return goes_on;
}
