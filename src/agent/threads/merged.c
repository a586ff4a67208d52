#include "agent/threads/merged.h"

#include "agent/base/kernel.h"
#include "agent/base/process.h"
#include "agent/threads/trigger.h"
#include "walk/base/sys.h"
#include "wire/attach.h"

#include <asm/signal.h>
#include <stdbool.h>
#include <sys/syscall.h>

static uint64_t bit(int signal)
{
    return UINT64_C(1) << (signal - 1);
}

static void send_again(const int32_t *siginfo)
{
    sys6(SYS_rt_tgsigqueueinfo, sys3(SYS_getpid, 0, 0, 0), sys3(SYS_gettid, 0, 0, 0), siginfo[0],
         (long)siginfo, 0, 0);
}

void merged_order(int32_t *siginfo)
{
    _Alignas(8) int32_t waiting[SIGINFO_BYTES / 4];
    const uint64_t set = bit(TRIGGER_SIGNAL_UNTOLD);
    const struct __kernel_timespec now = {0};
    if (agent.signal != TRIGGER_SIGNAL_UNTOLD || siginfo[0] != TRIGGER_SIGNAL_UNTOLD ||
        trigger_slot(siginfo) >= 0 ||
        sys_failed(sys6(SYS_rt_sigtimedwait, (long)&set, (long)waiting, (long)&now, 8, 0, 0)))
        return;
    if (trigger_slot(waiting) < 0) { /* the program's as well */
        send_again(waiting);
        return;
    }
    send_again(siginfo);
    __builtin_memcpy(siginfo, waiting, sizeof waiting);
}

/* Go's: on a stack of its own, with all signals blocked; glibc leaves its own two out of those. */
static bool interrupts_threads(const struct kernel_sigaction *action)
{
    const uint64_t flags = SA_ONSTACK | SA_SIGINFO | SA_RESTART;
    const uint64_t never = bit(SIGKILL) | bit(SIGSTOP) | bit(32) | bit(33);
    return action->handler > 1 && (action->flags & flags) == flags && !~(action->mask | never);
}

void merged_repeat(void)
{
    if (agent.signal == TRIGGER_SIGNAL_UNTOLD && agent.own[TRIGGER_SIGNAL_UNTOLD] &&
        interrupts_threads(&agent.actions[TRIGGER_SIGNAL_UNTOLD]))
        sys3(SYS_tgkill, sys3(SYS_getpid, 0, 0, 0), sys3(SYS_gettid, 0, 0, 0),
             TRIGGER_SIGNAL_UNTOLD);
}
