#include "agent/signals/altstack.h"

#include "agent/base/process.h"
#include "agent/base/thread.h"
#include "walk/base/sys.h"

#include <asm/signal.h>
#include <sys/syscall.h>

enum { NOT_PERMITTED = 1 }; /* EPERM */
#define STACK_AUTODISARM (1u << 31)

/* ---- what the program has set */

static bool on_altstack(const struct kernel_altstack *stack, uint64_t sp)
{
    return !(stack->flags & ALTSTACK_DISABLE) && !(stack->flags & STACK_AUTODISARM) &&
           stack->size && sp - stack->sp - 1 < stack->size;
}

struct kernel_altstack altstack_seen(const struct thread *thread, uint64_t sp)
{
    struct kernel_altstack seen = thread->altstack;
    if (!seen.size)
        seen.flags = ALTSTACK_DISABLE;
    if (on_altstack(&thread->altstack, sp))
        seen.flags |= ALTSTACK_ON;
    return seen;
}

uint64_t altstack_top(const struct thread *thread, uint64_t sp)
{
    const struct kernel_altstack *stack = &thread->altstack;
    bool enabled = stack->size && !(stack->flags & ALTSTACK_DISABLE);
    return enabled && !on_altstack(stack, sp) ? stack->sp + stack->size : 0;
}

void altstack_set(struct thread *thread, const struct kernel_altstack *wanted)
{
    thread->altstack = wanted->flags & ALTSTACK_DISABLE
                           ? (struct kernel_altstack){.flags = ALTSTACK_DISABLE}
                           : (struct kernel_altstack){.sp = wanted->sp,
                                                      .size = wanted->size,
                                                      .flags = wanted->flags & STACK_AUTODISARM};
}

void altstack_left(struct thread *thread)
{
    if (thread->altstack.flags & STACK_AUTODISARM)
        thread->altstack = (struct kernel_altstack){.flags = ALTSTACK_DISABLE};
}

/* ---- what the kernel has instead */

struct thread *altstack_lender(uint64_t sp)
{
    uint64_t at = sp - (uint64_t)agent.threads;
    struct thread *thread = &agent.threads[at / sizeof(struct thread)];
    if (!agent.threads || at >= CHANNEL_THREADS * sizeof(struct thread))
        return NULL;
    return sp - (uint64_t)thread->signal_stack <= THREAD_SIGNAL_STACK_BYTES ? thread : NULL;
}

static struct kernel_altstack of_kernel(void)
{
    struct kernel_altstack now = {.flags = ALTSTACK_DISABLE};
    sys3(SYS_sigaltstack, 0, (long)&now, 0);
    return now;
}

static struct kernel_altstack lendable(const struct thread *thread)
{
    return (struct kernel_altstack){.sp = (uint64_t)thread->signal_stack,
                                    .size = THREAD_SIGNAL_STACK_BYTES};
}

struct kernel_altstack altstack_inherited(const struct thread **ret_lender)
{
    struct kernel_altstack now = of_kernel();
    const struct thread *lender = *ret_lender = altstack_lender(now.sp);
    if (lender)
        return lender->altstack;
    return now.flags & ALTSTACK_DISABLE ? (struct kernel_altstack){0} : now;
}

void altstack_lend(struct thread *thread)
{
    struct kernel_altstack now = of_kernel(), ours = lendable(thread);
    if (!altstack_lender(now.sp) && !(now.flags & ALTSTACK_DISABLE))
        altstack_set(thread, &now);
    sys3(SYS_sigaltstack, (long)&ours, 0, 0);
}

void altstack_take_back(const struct thread *thread)
{
    struct kernel_altstack theirs = thread->altstack;
    if (!theirs.size)
        theirs.flags = ALTSTACK_DISABLE;
    if (altstack_lender(of_kernel().sp))
        sys3(SYS_sigaltstack, (long)&theirs, 0, 0);
}

long altstack_judge(const struct kernel_altstack *ours, const struct kernel_altstack *set)
{
    uint64_t all = ~UINT64_C(0), mask;
    sys6(SYS_rt_sigprocmask, SIG_SETMASK, (long)&all, (long)&mask, 8, 0, 0);
    long result = sys3(SYS_sigaltstack, (long)set, 0, 0);
    if (!sys_failed(result))
        sys3(SYS_sigaltstack, (long)ours, 0, 0);
    sys6(SYS_rt_sigprocmask, SIG_SETMASK, (long)&mask, 0, 8, 0, 0);
    return result;
}

bool altstack_program(uint64_t sp, const struct kernel_altstack *set,
                      struct kernel_altstack *ret_old, long *ret_result)
{
    struct thread *thread =
        agent.channel && agent.options.mode == RECORD_SAMPLED ? thread_self() : NULL;
    if (!thread || !altstack_lender(of_kernel().sp))
        return false;
    struct kernel_altstack ours = lendable(thread), seen = altstack_seen(thread, sp);
    bool on = seen.flags & ALTSTACK_ON;
    *ret_result = set ? (on ? -NOT_PERMITTED : altstack_judge(&ours, set)) : 0;
    if (*ret_result)
        return true;
    if (set)
        altstack_set(thread, set);
    if (ret_old)
        *ret_old = seen;
    return true;
}
