#include "agent/signals/trap.h"

#include "agent/base/process.h"
#include "agent/base/thread.h"
#include "agent/sampling/budget.h"
#include "agent/signals/signals.h"
#include "agent/threads/trigger.h"
#include "walk/base/sys.h"

#include <asm/signal.h>
#include <sys/syscall.h>

#define TRAP_BIT (UINT64_C(1) << (SIGTRAP - 1))

static struct thread *sampled_thread(void)
{
    return agent.own[SIGTRAP] && agent_samples() ? thread_self() : NULL;
}

bool trap_blocked(void)
{
    const struct thread *thread = sampled_thread();
    return thread && thread->trap_blocked;
}

bool trap_pending(void)
{
    const struct thread *thread = sampled_thread();
    return thread && thread->trap_pending;
}

static void trap_mask(int how)
{
    uint64_t trap = TRAP_BIT;
    sys6(SYS_rt_sigprocmask, how, (long)&trap, 0, 8, 0, 0);
}

void trap_begin(struct thread *thread)
{
    uint64_t mask = 0;
    sys6(SYS_rt_sigprocmask, SIG_BLOCK, 0, (long)&mask, 8, 0, 0);
    if (!(mask & TRAP_BIT))
        return;
    thread->trap_blocked = true;
    trap_mask(SIG_UNBLOCK);
}

static void trap_raise(struct thread *thread)
{
    if (!thread->trap_pending)
        return;
    thread->trap_pending = false;
    sys6(SYS_rt_tgsigqueueinfo, sys3(SYS_getpid, 0, 0, 0), thread->tid, SIGTRAP,
         (long)thread->pending.siginfo, 0, 0);
}

static void trap_virtual(struct thread *thread)
{
    thread->trap_really = false;
    trap_mask(SIG_UNBLOCK);
    trigger_arm(thread, budget_next_ns(thread));
}

void trap_block(bool blocked)
{
    struct thread *thread = sampled_thread();
    if (!thread)
        return;
    thread->trap_blocked = blocked;
    if (blocked)
        return;
    if (thread->trap_really)
        trap_virtual(thread);
    trap_raise(thread);
}

bool trap_really(void)
{
    const struct thread *thread = sampled_thread();
    return thread && thread->trap_really;
}

void trap_wait(bool begins)
{
    struct thread *thread = sampled_thread();
    if (!thread || !thread->trap_blocked || thread->trap_really == begins)
        return;
    if (begins) {
        trigger_disarm(thread);
        trap_mask(SIG_BLOCK);
        thread->trap_really = true;
        trap_raise(thread);
        return;
    }
    uint64_t pending = 0;
    sys3(SYS_rt_sigpending, (long)&pending, 8, 0);
    if (!(pending & TRAP_BIT))
        trap_virtual(thread);
}

/* A trap that is not ours: waits, if the program has it blocked and somebody sent it; one of its
 * own instructions' cannot wait. */
uint64_t trap_pass_on(int signal, const int32_t *siginfo, struct kernel_ucontext *frame)
{
    struct thread *thread = sampled_thread();
    bool sent = siginfo[2] <= 0;
    if (!thread || !thread->trap_blocked || thread->trap_really)
        return signals_pass_on(signal, siginfo, frame);
    if (sent) {
        thread->trap_pending = true;
        __builtin_memcpy(thread->pending.siginfo, siginfo, SIGINFO_BYTES);
    } else
        signals_die(signal, false);
    return 0;
}
