#include "agent/exact/exact_actions.h"

#include "agent/base/process.h"
#include "agent/base/program_memory.h"
#include "agent/signals/signals.h"
#include "walk/base/sys.h"

#include <asm/signal.h>
#include <sys/syscall.h>

enum { BAD_ADDRESS = 14, INVALID = 22 };

uint64_t exact_actions_unblocked(void)
{
    return exact_actions_bit(SIGSEGV) | exact_actions_bit(SIGBUS) | exact_actions_bit(SIGILL) |
           exact_actions_bit(SIGFPE) | exact_actions_bit(SIGTRAP);
}

bool exact_actions_always_ours(int signal)
{
    return exact_actions_unblocked() & exact_actions_bit(signal);
}

/* The kernel's action for a signal, from what the program wants. One at a time: all others wait
 * until the program's handler begins, as they would have. Faults wait too: several may have been
 * sent, and the second must not find the agent's mask. Nothing faults in exact_entry. */
static void action_install(int signal)
{
    const struct kernel_sigaction *wanted = &agent.actions[signal];
    uint64_t kept = SA_RESTART | SA_NOCLDSTOP | SA_NOCLDWAIT;
    struct kernel_sigaction action = {.handler = wanted->handler, .flags = wanted->flags & kept};
    if (wanted->handler > 1 || exact_actions_always_ours(signal)) {
        action.handler = (uint64_t)exact_entry;
        action.flags |= SA_SIGINFO | SA_ONSTACK;
        action.mask = UINT64_MAX;
    }
    action.flags |= KERNEL_SA_RESTORER;
    action.restorer = signals_restorer();
    sys6(SYS_rt_sigaction, signal, (long)&action, 0, 8, 0, 0);
    agent.own[signal] = action.handler == (uint64_t)exact_entry;
}

void exact_actions_ignore(bool really)
{
    struct kernel_sigaction ignored = {.handler = 1};
    for (int signal = 1; signal < AGENT_SIGNALS; signal++) {
        if (!exact_actions_always_ours(signal) || agent.actions[signal].handler != 1)
            continue;
        if (really)
            sys6(SYS_rt_sigaction, signal, (long)&ignored, 0, 8, 0, 0);
        else
            action_install(signal);
    }
}

void exact_actions_begin(void)
{
    for (int signal = 1; signal < AGENT_SIGNALS; signal++) {
        if (signal == SIGKILL || signal == SIGSTOP)
            continue;
        sys6(SYS_rt_sigaction, signal, 0, (long)&agent.actions[signal], 8, 0, 0);
        if (agent.actions[signal].handler > 1 || exact_actions_always_ours(signal))
            action_install(signal);
    }
}

void exact_actions_give_back(bool all)
{
    for (int signal = 1; signal < AGENT_SIGNALS; signal++) {
        if (!agent.own[signal] || !(all || signal == SIGSYS))
            continue;
        sys6(SYS_rt_sigaction, signal, (long)&agent.actions[signal], 0, 8, 0, 0);
        agent.own[signal] = false;
    }
}

void exact_actions_cleared(void)
{
    for (int signal = 1; signal < AGENT_SIGNALS; signal++) {
        bool handled = agent.actions[signal].handler > 1;
        if (handled)
            agent.actions[signal] = (struct kernel_sigaction){0};
        if (handled || agent.own[signal])
            action_install(signal);
    }
}

long exact_actions_change(uint64_t signal, uint64_t set, uint64_t old, uint64_t mask_bytes)
{
    struct kernel_sigaction wanted;
    if (mask_bytes != 8 || signal < 1 || signal >= AGENT_SIGNALS ||
        (set && (signal == SIGKILL || signal == SIGSTOP)))
        return -INVALID;
    if (set && !program_read(set, &wanted, sizeof wanted))
        return -BAD_ADDRESS;
    struct kernel_sigaction *action = &agent.actions[signal], before = *action;
    if (set) {
        wanted.mask &= ~(exact_actions_bit(SIGKILL) | exact_actions_bit(SIGSTOP));
        *action = wanted;
        action_install((int)signal);
    }
    return old && !program_write(old, &before, sizeof before) ? -BAD_ADDRESS : 0;
}

void exact_actions_reset(int signal, uint64_t handler)
{
    if (agent.actions[signal].handler != handler)
        return;
    agent.actions[signal].handler = 0;
    action_install(signal);
}
