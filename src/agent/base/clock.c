#include "agent/base/clock.h"

#include "agent/base/process.h"
#include "walk/base/sys.h"

#include <linux/time.h>
#include <sys/syscall.h>

enum { CLOCK_SPIN_NS = 300000 };
/* The program can write anything over what others have measured. */
#define HZ_LEAST UINT64_C(100000000)
#define HZ_MOST UINT64_C(20000000000)

static uint64_t clock_ns(long clock)
{
    struct __kernel_timespec now = {0};
    sys3(SYS_clock_gettime, clock, (long)&now, 0);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

uint64_t agent_cpu_ns(void)
{
    return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* What coarse clocks can tell apart. */
uint64_t agent_tick_ns(void)
{
    struct __kernel_timespec tick = {.tv_nsec = 4000000};
    sys3(SYS_clock_getres, CLOCK_MONOTONIC_COARSE, (long)&tick, 0);
    return (uint64_t)tick.tv_nsec;
}

/* As the kernel numbers the CPU-time clocks of threads. */
long agent_thread_clock(int32_t tid)
{
    return (int32_t)(~(uint32_t)tid << 3 | 6);
}

uint64_t agent_thread_cpu_ns(int32_t tid)
{
    return clock_ns(agent_thread_clock(tid));
}

struct booked_time agent_booked_time(void)
{
    enum { OF_THREAD = 4, USER = 1, ALL = 0 }; /* of the calling one: its number is 0 */
    long self = (int32_t)(~UINT32_C(0) << 3);
    return (struct booked_time){clock_ns(self | OF_THREAD | USER),
                                clock_ns(self | OF_THREAD | ALL)};
}

uint64_t agent_elapsed_ns(void)
{
    return clock_ns(CLOCK_MONOTONIC) - agent.start_ns;
}

/* a * b / c with a product of 128 bits; the compiler's own way would be an import. */
static uint64_t scale(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t high;
    __asm__("mulq %2\n divq %3" : "+a"(a), "=&d"(high) : "r"(b), "r"(c) : "cc");
    return a;
}

struct moment {
    uint64_t ns, tsc;
};

/* Both clocks at once. A thread that loses its CPU between the two reads reads them again: the rate
 * of the time stamp counter was once 1.1 MHz instead of 2.6 GHz. */
static struct moment moment_now(void)
{
    enum { TRIES = 8, CLOSE_TICKS = 2000 };
    struct moment now = {0};
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < TRIES && least > CLOSE_TICKS; i++) {
        uint64_t before = sys_tsc(), ns = clock_ns(CLOCK_MONOTONIC), took = sys_tsc() - before;
        if (took >= least)
            continue;
        least = took;
        now = (struct moment){ns, before + took / 2};
    }
    return now;
}

static void hz_set(uint64_t hz)
{
    agent.channel->tsc_hz = agent.tsc_hz = hz;
    agent.ticks_per_ms = hz / 1000;
}

void agent_clock(void)
{
    struct moment now = moment_now();
    if (now.ns <= agent.start_ns)
        return;
    uint64_t ticks = now.tsc - agent.start_tsc;
    hz_set(scale(ticks, 1000000000, now.ns - agent.start_ns));
}

uint64_t agent_tsc(void)
{
    if (!__atomic_load_n(&agent.clock_forbidden, __ATOMIC_RELAXED))
        return sys_tsc();
    uint64_t ns = agent_elapsed_ns();
    return agent.start_tsc + scale(ns, agent.ticks_per_ms, 1000000);
}

void agent_clock_start(void)
{
    struct moment now = moment_now();
    agent.start_ns = now.ns;
    agent.channel->start_tsc = agent.start_tsc = now.tsc;
}

/* Until the rate of the TSC is known well enough. */
void agent_clock_spin(void)
{
    uint64_t *known = &agent.directory->calibration.tsc_hz;
    uint64_t hz = __atomic_load_n(known, __ATOMIC_RELAXED);
    if (hz >= HZ_LEAST && hz <= HZ_MOST) {
        hz_set(hz);
        return;
    }
    while (agent_elapsed_ns() < CLOCK_SPIN_NS)
        continue;
    agent_clock();
    __atomic_store_n(known, agent.tsc_hz, __ATOMIC_RELAXED);
}
