#include "agent/calibrate.h"

#include "agent/agent.h"
#include "agent/thread.h"
#include "agent/trigger.h"
#include "walk/sys.h"

#include <asm/signal.h>
#include <sys/syscall.h>

enum { ROUNDS = 9, PERIOD_NS = 20000 };

/* The longest gap that a spinning thread sees around one interrupt: all of it, from the program's
 * last instruction to its next. Gives up when none comes. */
static uint64_t gap_of_interrupt(struct thread *thread)
{
    uint32_t seen = agent.calibrated;
    uint64_t start = sys_tsc(), last = start, longest = 0;
    trigger_arm(thread, PERIOD_NS);
    last = sys_tsc();
    while (agent.calibrated == seen && last - start < agent.ticks_per_ms) {
        uint64_t now = sys_tsc();
        __asm__ volatile("" ::: "memory");
        if (now - last > longest)
            longest = now - last;
        last = now;
    }
    uint64_t now = sys_tsc();
    return now - last > longest ? now - last : longest;
}

/* The CPU-time timer rides on a clock tick that happens anyway: what we add is the signal. */
static uint64_t gap_of_signal(void)
{
    uint64_t start = sys_tsc();
    sys3(SYS_tgkill, sys3(SYS_getpid, 0, 0, 0), sys3(SYS_gettid, 0, 0, 0), SIGTRAP);
    return sys_tsc() - start;
}

void calibrate(struct thread *thread)
{
    uint64_t gaps[ROUNDS];
    agent.calibrating = thread->tid;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        uint64_t gap = thread->perf_fd >= 0 ? gap_of_interrupt(thread) : gap_of_signal();
        uint32_t at = i;
        for (; at > 0 && gaps[at - 1] > gap; at--)
            gaps[at] = gaps[at - 1];
        gaps[at] = gap;
    }
    agent.channel->delivery_ticks = gaps[ROUNDS / 2];
    agent.calibrated = UINT32_MAX;
}
