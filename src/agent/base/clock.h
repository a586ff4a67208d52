/* Clocks: the time stamp counter, CPU time and wall time. */
#pragma once

#include <stdint.h>

uint64_t agent_cpu_ns(void); /* of the calling thread */
uint64_t agent_thread_cpu_ns(int32_t tid);
/* The kernel's number of a thread's CPU-time clock. */
long agent_thread_clock(int32_t tid);
/* CPU time of the calling thread as the kernel books it: at each tick, as much as has passed since
 * the last, to the mode that the tick finds. */
struct booked_time {
    uint64_t user_ns, all_ns;
};
struct booked_time agent_booked_time(void);
/* The resolution of the kernel's coarse clocks. */
uint64_t agent_tick_ns(void);

/* The channel's time begins now. */
void agent_clock_start(void);
/* Wall time since then. */
uint64_t agent_elapsed_ns(void);
/* Updates ticks_per_ms: the longer the run, the more precise. */
void agent_clock(void);
/* Waits until the rate of the time stamp counter is known well enough: 0.3 ms. */
void agent_clock_spin(void);
/* The time stamp counter, or its value computed from another clock, for threads that may have given
 * it up. */
uint64_t agent_tsc(void);
