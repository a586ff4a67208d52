#include "walk/count/cpu_lost.h"

#include "walk/base/sys.h"

#include <asm/unistd.h>
#include <linux/time.h>
#include <linux/time_types.h>

static uint64_t clock_ns(long clock)
{
    struct __kernel_timespec now = {0};
    if (sys_failed(sys3(__NR_clock_gettime, clock, (long)&now, 0)))
        return 0;
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

uint64_t cpu_lost_ticks(uint64_t ticks, uint64_t ns, uint64_t lost_ns)
{
    enum { BITS = 24 }; /* so that products fit */
    uint32_t shift = 0;
    if (lost_ns >= ns)
        return ns ? ticks : 0;
    for (; ns >> BITS; ns >>= 1)
        lost_ns >>= 1;
    for (; ticks >> (63 - BITS); ticks >>= 1)
        shift++;
    return ticks * lost_ns / ns << shift;
}

uint64_t cpu_lost_look(struct context *context)
{
    uint64_t tsc = sys_tsc(), wall = clock_ns(CLOCK_MONOTONIC);
    uint64_t cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    uint64_t lost = 0;
    /* In the child of a fork the CPU time begins anew. */
    if (context->cpu_tsc && cpu >= context->cpu_ns && wall > context->cpu_wall) {
        uint64_t ns = wall - context->cpu_wall, had = cpu - context->cpu_ns;
        lost = cpu_lost_ticks(tsc - context->cpu_tsc, ns, had < ns ? ns - had : 0);
    }
    context->cpu_tsc = tsc;
    context->cpu_wall = wall;
    context->cpu_ns = cpu;
    return lost;
}
