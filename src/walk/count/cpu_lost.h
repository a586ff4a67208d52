/* How long a thread had no CPU: others had it, or the thread waited. The difference between wall
 * time and the thread's CPU time, in ticks. Two system calls, so it is not checked often. */
#pragma once

#include "walk/base/context.h"

#include <stdint.h>

/* Shorter times are not checked: about 20 us. */
enum { CPU_LOST_LEAST = 1 << 16 };

/* Ticks without a CPU since the last call; 0 for the first. */
uint64_t cpu_lost_look(struct context *context);

/* Converts lost_ns to ticks, for a stretch of `ticks` and `ns`. */
uint64_t cpu_lost_ticks(uint64_t ticks, uint64_t ns, uint64_t lost_ns);
