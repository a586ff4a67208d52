/* CPU time of a program, and of all descendants that were waited for. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct child;
struct rusage;

struct cpu_times {
    uint64_t user_ns, kernel_ns;
};

/* While it runs, /proc counts in clock ticks and rounds down, so this never exceeds the final
 * figure. False: not known. */
bool cpu_times_read(const struct child *child, struct cpu_times *ret_times);
/* Of a running process. False: not known; *ret_times is unchanged. */
bool cpu_times_process(int pid, struct cpu_times *ret_times);
/* Of this process. */
uint64_t cpu_times_own_ns(void);
/* User and kernel time of a process that was waited for. */
uint64_t cpu_times_usage_ns(const struct rusage *usage);
