#include "agent/signals/shelter.h"

#include "agent/base/process.h"
#include "agent/base/thread.h"
#include "walk/base/sys.h"

#include <asm/signal.h>
#include <sys/syscall.h>

enum {
    CODE_KERNEL = 0x80, /* SI_KERNEL */
    ALIGNMENT = 64 + 16 + 8,
};

static uint64_t added; /* signals whose masks have ours, which the program did not put there */

static bool action_get(int signal, struct kernel_sigaction *ret)
{
    return !sys_failed(sys6(SYS_rt_sigaction, signal, 0, (long)ret, 8, 0, 0));
}

static void action_set(int signal, const struct kernel_sigaction *action)
{
    sys6(SYS_rt_sigaction, signal, (long)action, 0, 8, 0, 0);
}

void shelter_keep(void)
{
    uint64_t ours = UINT64_C(1) << (agent.signal - 1);
    for (int signal = 1; signal < AGENT_SIGNALS; signal++) {
        struct kernel_sigaction now;
        if (agent.own[signal] || !action_get(signal, &now) || now.handler <= 1 ||
            !(now.flags & SA_ONSTACK) || now.mask & ours)
            continue;
        now.mask |= ours;
        action_set(signal, &now);
        added |= UINT64_C(1) << (signal - 1);
    }
}

bool shelter_refused(struct thread *thread, const int32_t *siginfo,
                     const struct kernel_ucontext *frame)
{
    uint32_t vectors = 0;
    bool none = !frame->stack_size || frame->stack_flags & ALTSTACK_DISABLE;
    if (siginfo[2] != CODE_KERNEL || none || !thread || thread->refused_pc == frame->rip)
        return false;
    if (frame->fpstate)
        __builtin_memcpy(&vectors, (const uint8_t *)frame->fpstate + FPSTATE_SIZE_AT, 4);
    if (frame->stack_size >= vectors + sizeof(struct kernel_sigframe) + ALIGNMENT)
        return false;
    thread->refused_pc = frame->rip;
    agent_lose(LOSS_no_room);
    return true;
}

/* What has been set meanwhile with our signal in its mask looks the same, and loses it. */
void shelter_return(void)
{
    uint64_t ours = UINT64_C(1) << (agent.signal - 1);
    for (int signal = 1; signal < AGENT_SIGNALS; signal++) {
        struct kernel_sigaction now;
        if (!(added >> (signal - 1) & 1) || !action_get(signal, &now) || !(now.mask & ours))
            continue;
        now.mask &= ~ours;
        action_set(signal, &now);
    }
    added = 0;
}
