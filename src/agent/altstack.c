#include "agent/altstack.h"

#include "agent/agent.h"
#include "agent/thread.h"
#include "walk/sys.h"

#include <sys/syscall.h>

static bool lent(uint64_t sp)
{
    return sp - (uint64_t)agent.threads < CHANNEL_THREADS * sizeof(struct thread);
}

void altstack_lend(struct thread *thread)
{
    struct kernel_altstack now = {0}, ours = {.sp = (uint64_t)thread->signal_stack,
                                              .size = THREAD_SIGNAL_STACK_BYTES};
    sys3(SYS_sigaltstack, 0, (long)&now, 0);
    if (now.size && !(now.flags & ALTSTACK_DISABLE) && !lent(now.sp))
        thread->altstack = now;
    else
        sys3(SYS_sigaltstack, (long)&ours, 0, 0);
}

void altstack_take_back(const struct thread *thread)
{
    struct kernel_altstack none = {.flags = ALTSTACK_DISABLE};
    if (!thread->altstack.size)
        sys3(SYS_sigaltstack, (long)&none, 0, 0);
}

bool altstack_program(const struct kernel_altstack *set, struct kernel_altstack *ret_old,
                      long *ret_result)
{
    struct thread *thread = agent_samples() ? thread_self() : NULL;
    if (!thread)
        return false;
    bool had = thread->altstack.size;
    bool sets = set && !(set->flags & ALTSTACK_DISABLE);
    struct kernel_altstack old = {.flags = ALTSTACK_DISABLE};
    *ret_result = sets || had ? sys3(SYS_sigaltstack, (long)set, (long)(had ? &old : NULL), 0) : 0;
    if (sys_failed(*ret_result))
        return true;
    if (ret_old)
        *ret_old = old;
    if (set)
        thread->altstack = sets ? *set : (struct kernel_altstack){0};
    if (set && !sets)
        altstack_lend(thread);
    return true;
}
