#include "agent/base/faults.h"

#include "walk/base/sys.h"

#include <sys/syscall.h>

enum { OF_THREAD = 1, PAGE_BYTES = 4096, GROUPS = 4, LEAST_PART = 8 };

/* As the kernel lays it out: two times of 16 bytes, and counts. */
struct usage {
    uint64_t times[4], before[4], minor, major, behind[8];
};

uint64_t agent_faults(void)
{
    struct usage usage = {0};
    sys3(SYS_getrusage, OF_THREAD, (long)&usage, 0);
    return usage.minor + usage.major;
}

_Static_assert(sizeof(struct usage) == 144, "the kernel writes all of it");

/* The least mean of some groups: others may run meanwhile. */
uint64_t agent_faults_measure(volatile uint8_t *memory, uint32_t bytes)
{
    uint64_t least = UINT64_MAX;
    uint32_t each = bytes / PAGE_BYTES / GROUPS;
    for (uint32_t i = 0; i < GROUPS; i++) {
        uint64_t start = sys_tsc();
        for (uint32_t page = i * each; page < (i + 1) * each; page++)
            memory[(uint64_t)page * PAGE_BYTES] = 1;
        uint64_t ticks = (sys_tsc() - start) / (each ? each : 1);
        least = ticks < least ? ticks : least;
    }
    return least;
}

uint64_t agent_faults_deduct(uint64_t ticks, uint64_t n, uint64_t each)
{
    uint64_t least = ticks / LEAST_PART;
    uint64_t served = n < ticks ? n * each : ticks;
    return ticks > least + served ? ticks - served : least;
}
