/* How long a thread was without a CPU: others had it, or the thread waited. Two clocks of the
 * kernel tell, the thread's CPU time and the time of day: what the one has and the other has not,
 * in ticks. Looking takes two system calls, so it is not done often. */
#pragma once

#include "walk/base/context.h"

#include <stdint.h>

/* Less than that is not looked into: about 20 us. */
enum { CPU_LOST_LEAST = 1 << 16 };

/* Ticks without a CPU since the last look; 0 of the first. The next counts from now on. */
uint64_t cpu_lost_look(struct context *context);

/* So many ticks of a stretch in which so many nanoseconds passed, of which so many were without a
 * CPU. */
uint64_t cpu_lost_ticks(uint64_t ticks, uint64_t ns, uint64_t lost_ns);
