#include "agent/exact/exact_aside.h"

#include "agent/base/thread.h"
#include "agent/exact/exact_actions.h"
#include "walk/base/sys.h"

#include <asm/signal.h>
#include <sys/syscall.h>

static const int signals[THREAD_ASIDE] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP};

bool exact_aside_put(struct thread *thread, int signal, const uint8_t *siginfo)
{
    int32_t code;
    __builtin_memcpy(&code, siginfo + 8, 4);
    bool busy = thread->pending.signal || thread->step.signal || thread->stepping.on;
    if (code > 0 || !busy || !exact_actions_always_ours(signal))
        return false;
    for (uint32_t i = 0; i < THREAD_ASIDE; i++)
        if (signals[i] == signal && !(thread->aside & 1u << i)) {
            thread->aside |= 1u << i;
            __builtin_memcpy(thread->aside_siginfo[i], siginfo, SIGINFO_BYTES);
        }
    thread->context->interrupt = 1;
    return true;
}

void exact_aside_return(struct thread *thread)
{
    uint64_t all = UINT64_MAX, mask = 0;
    if (!thread->aside)
        return;
    sys6(SYS_rt_sigprocmask, SIG_SETMASK, (long)&all, (long)&mask, 8, 0, 0);
    for (uint32_t i = 0; i < THREAD_ASIDE; i++)
        if (thread->aside & 1u << i)
            sys6(SYS_rt_tgsigqueueinfo, sys3(SYS_getpid, 0, 0, 0), thread->tid, signals[i],
                 (long)thread->aside_siginfo[i], 0, 0);
    thread->aside = 0;
    sys6(SYS_rt_sigprocmask, SIG_SETMASK, (long)&mask, 0, 8, 0, 0);
}
