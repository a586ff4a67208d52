/* What interrupts the thread: a perf software clock that raises SIGTRAP, or a CPU-time timer.
 *
 * Both are one-shot and counted in the thread's own CPU time. Armed at the end of each walk, so that
 * no sample is ever pending during one. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Chooses by the options; false: neither could be had. Fills channel.trigger and perf_errno. */
bool trigger_open(void);
void trigger_arm(uint64_t period_ns);
void trigger_disarm(void);
/* Whether a SIGTRAP with this siginfo is ours. */
bool trigger_is_ours(const void *siginfo);
