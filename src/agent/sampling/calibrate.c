#include "agent/sampling/calibrate.h"

#include "agent/base/clock.h"
#include "agent/base/faults.h"
#include "agent/base/process.h"
#include "agent/base/thread.h"
#include "agent/threads/trigger.h"
#include "walk/base/sys.h"

#include <sys/mman.h>
#include <sys/syscall.h>

enum {
    ROUNDS = 9,
    COLD_ROUNDS = 5,
    TRIES = 5, /* of one round */
    PERIOD_NS = 20000,
    SWEEP_BYTES = 1 << 20, /* as large as the caches that one core has for itself */
    LINE_BYTES = 64,
};

/* The longest gap that a spinning thread sees around one interrupt, from the program's last
 * instruction to its next. Gives up when none comes. */
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
    if (agent.calibrated != seen) /* the thread may have no slot by which its signal is known */
        thread->perf_due = false;
    uint64_t now = sys_tsc();
    return now - last > longest ? now - last : longest;
}

/* The CPU-time timer rides on a clock tick that happens anyway: what we add is the signal. */
static uint64_t gap_of_signal(void)
{
    uint64_t start = sys_tsc();
    sys3(SYS_tgkill, sys3(SYS_getpid, 0, 0, 0), sys3(SYS_gettid, 0, 0, 0), agent.signal);
    return sys_tsc() - start;
}

/* What programs do to the caches between two interrupts. */
static void sweep(volatile uint8_t *memory)
{
    for (uint32_t i = 0; i < SWEEP_BYTES; i += LINE_BYTES)
        memory[i]++;
}

/* A round in which the thread lost its CPU is measured again: an interrupt was once taken to cost 6
 * ms, and 13 samples came where a thousand should have. */
static uint64_t gap_undisturbed(struct thread *thread, volatile uint8_t *memory)
{
    uint64_t gap = 0;
    for (uint32_t i = 0; i < TRIES; i++) {
        if (memory)
            sweep(memory);
        uint64_t cpu_ns = agent_cpu_ns(), start = sys_tsc();
        gap = thread->perf_fd >= 0 ? gap_of_interrupt(thread) : gap_of_signal();
        uint64_t ticks = sys_tsc() - start;
        uint64_t ran = (agent_cpu_ns() - cpu_ns) * agent.ticks_per_ms / 1000000;
        if (ticks < ran + gap / 2)
            break;
    }
    return gap;
}

/* The median gap; `memory`: NULL, or what is swept through before each. */
static uint64_t gap_median(struct thread *thread, uint32_t rounds, volatile uint8_t *memory)
{
    uint64_t gaps[ROUNDS];
    for (uint32_t i = 0; i < rounds; i++) {
        uint64_t gap = gap_undisturbed(thread, memory);
        uint32_t at = i;
        for (; at > 0 && gaps[at - 1] > gap; at--)
            gaps[at] = gaps[at - 1];
        gaps[at] = gap;
    }
    return gaps[rounds / 2];
}

bool calibrate_known(uint32_t kind)
{
    const struct wire_calibration *known = &agent.directory->calibration;
    return __atomic_load_n(&known->tsc_hz, __ATOMIC_RELAXED) &&
           __atomic_load_n(&known->entry[kind].cold, __ATOMIC_RELAXED);
}

/* What another process has measured. A process can write anything there; a millisecond is more than
 * any interrupt takes. */
static bool known_take(uint32_t kind)
{
    uint64_t cold =
        __atomic_load_n(&agent.directory->calibration.entry[kind].cold, __ATOMIC_ACQUIRE);
    uint64_t warm =
        __atomic_load_n(&agent.directory->calibration.entry[kind].warm, __ATOMIC_RELAXED);
    if (!warm || cold < warm || cold > agent.ticks_per_ms)
        return false;
    uint64_t fault = __atomic_load_n(&agent.directory->calibration.fault_ticks, __ATOMIC_RELAXED);
    agent.channel->delivery_ticks = agent.delivery_ticks = warm;
    agent.means.entry_ticks = cold;
    agent.fault_ticks = fault < agent.ticks_per_ms ? fault : 0;
    return true;
}

static void known_tell(uint32_t kind)
{
    __atomic_store_n(&agent.directory->calibration.entry[kind].warm, agent.delivery_ticks,
                     __ATOMIC_RELAXED);
    __atomic_store_n(&agent.directory->calibration.fault_ticks, agent.fault_ticks,
                     __ATOMIC_RELAXED);
    __atomic_store_n(&agent.directory->calibration.entry[kind].cold, agent.means.entry_ticks,
                     __ATOMIC_RELEASE);
}

void calibrate(struct thread *thread)
{
    uint32_t kind = agent.trigger;
    if (known_take(kind)) {
        agent.calibrated = UINT32_MAX;
        return;
    }
    agent.calibrating = thread->tid;
    uint64_t warm = gap_median(thread, ROUNDS, NULL), cold = warm;
    long memory =
        sys6(SYS_mmap, 0, SWEEP_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!sys_failed(memory)) {
        agent.fault_ticks = agent_faults_measure((volatile uint8_t *)memory, SWEEP_BYTES);
        cold = gap_median(thread, COLD_ROUNDS, (volatile uint8_t *)memory);
        sys3(SYS_munmap, memory, SWEEP_BYTES, 0);
    }
    agent.channel->delivery_ticks = agent.delivery_ticks = warm;
    agent.means.entry_ticks = cold > warm ? cold : warm;
    agent.calibrated = UINT32_MAX;
    known_tell(kind);
}
