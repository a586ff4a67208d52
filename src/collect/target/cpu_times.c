#include "collect/target/cpu_times.h"

#include "base/clock.h"
#include "base/scope.h"
#include "collect/target/launch.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static uint64_t timeval_ns(struct timeval time)
{
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_usec * 1000u;
}

bool cpu_times_process(int pid, struct cpu_times *ret_times)
{
    char path[32], text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    AUTO(fd_close) int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (n <= 0)
        return false;
    text[n] = 0;
    const char *rest = strrchr(text, ')'); /* the name before it may hold anything */
    unsigned long user, kernel;
    long child_user, child_kernel;
    if (!rest || sscanf(rest + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %ld %ld",
                        &user, &kernel, &child_user, &child_kernel) != 4)
        return false;
    uint64_t tick_ns = 1000000000u / (uint64_t)sysconf(_SC_CLK_TCK);
    ret_times->user_ns = (user + (unsigned long)child_user) * tick_ns;
    ret_times->kernel_ns = (kernel + (unsigned long)child_kernel) * tick_ns;
    return true;
}

bool cpu_times_read(const struct child *child, struct cpu_times *ret_times)
{
    if (!child->ended)
        return cpu_times_process(child->pid, ret_times);
    ret_times->user_ns = timeval_ns(child->usage.ru_utime);
    ret_times->kernel_ns = timeval_ns(child->usage.ru_stime);
    return true;
}

uint64_t cpu_times_usage_ns(const struct rusage *usage)
{
    return timeval_ns(usage->ru_utime) + timeval_ns(usage->ru_stime);
}

uint64_t cpu_times_own_ns(void)
{
    return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}
