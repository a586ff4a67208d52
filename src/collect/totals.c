#include "collect/totals.h"

#include "base/scope.h"
#include "profile/sums.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static uint64_t timeval_ns(struct timeval time)
{
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_usec * 1000u;
}

/* While the child runs: /proc counts in clock ticks and rounds down, so this never passes what
 * wait4 will say in the end. */
static void times_running(pid_t pid, uint64_t *ret_user_ns, uint64_t *ret_kernel_ns)
{
    char path[32], text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    AUTO(fd_close) int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (n <= 0)
        return;
    text[n] = 0;
    const char *rest = strrchr(text, ')'); /* the name before it may hold anything */
    unsigned long user, kernel;
    long child_user, child_kernel;
    if (!rest || sscanf(rest + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %ld %ld",
                        &user, &kernel, &child_user, &child_kernel) != 4)
        return;
    uint64_t tick_ns = 1000000000u / (uint64_t)sysconf(_SC_CLK_TCK);
    *ret_user_ns = (user + (unsigned long)child_user) * tick_ns;
    *ret_kernel_ns = (kernel + (unsigned long)child_kernel) * tick_ns;
}

static uint64_t own_cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Threads and children that were not walked have used time that no window speaks for. */
static void leave_unwalked(struct totals *totals, uint64_t recorded_ns)
{
    uint64_t all = totals->user_ns + totals->kernel_ns;
    bool unwalked = totals->losses[LOSS_thread_native] || totals->losses[LOSS_child_native];
    if (!unwalked || recorded_ns >= all)
        return;
    totals->user_ns = (uint64_t)((u128)totals->user_ns * recorded_ns / all);
    totals->kernel_ns = (uint64_t)((u128)totals->kernel_ns * recorded_ns / all);
}

/* Rates are those of trails, which run slower than native code. The program's time, told in ticks of
 * trails, is that much longer: so rate times time is what it executed. */
static uint64_t stretch(uint64_t ticks, const struct drain_sum *sum)
{
    uint64_t own = sum->trail_own_ticks, most = sum->trail_ticks / 10 * 6;
    if (!sum->trail_ticks)
        return ticks;
    own = own < most ? own : most;
    return (uint64_t)((u128)ticks * sum->trail_ticks / (sum->trail_ticks - own));
}

void totals_now(const struct drain *drain, const struct child *child, struct totals *ret_totals)
{
    struct drain_sum sum;
    drain_sum(drain, child->ended, &sum);
    struct totals totals = sum.totals;
    if (child->ended) {
        totals.user_ns = timeval_ns(child->usage.ru_utime);
        totals.kernel_ns = timeval_ns(child->usage.ru_stime);
        if (!drain->processes)
            totals.losses[LOSS_no_agent] = 1;
    } else {
        times_running(child->pid, &totals.user_ns, &totals.kernel_ns);
    }
    if (drain->mode == RECORD_SAMPLED)
        leave_unwalked(&totals, sum.recorded_ns);
    totals.user_ticks = (uint64_t)((u128)totals.user_ns * drain->first.tsc_hz / 1000000000u);
    if (child->ended)
        totals.user_ticks = stretch(totals.user_ticks, &sum);
    totals.tool_ns = own_cpu_ns();
    *ret_totals = totals;
}

static void give(uint64_t *delta, uint64_t *told, uint64_t now)
{
    if (now <= *told)
        return;
    sum_add(delta, now - *told);
    *told = now;
}

void totals_give(struct totals *delta, struct totals *told, const struct totals *now)
{
    give(&delta->windows, &told->windows, now->windows);
    give(&delta->interrupts, &told->interrupts, now->interrupts);
    give(&delta->instructions, &told->instructions, now->instructions);
    give(&delta->user_ns, &told->user_ns, now->user_ns);
    give(&delta->kernel_ns, &told->kernel_ns, now->kernel_ns);
    give(&delta->user_ticks, &told->user_ticks, now->user_ticks);
    give(&delta->agent_ns, &told->agent_ns, now->agent_ns);
    give(&delta->tool_ns, &told->tool_ns, now->tool_ns);
    for (int i = 0; i < LOSS_N; i++)
        give(&delta->losses[i], &told->losses[i], now->losses[i]);
}
