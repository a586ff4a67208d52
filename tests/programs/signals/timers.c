/* Every kind of timer at once: real, virtual and profiling intervals, POSIX timers by signal, by
 * thread, and by timerfd; a program that is itself a profiler. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned count[65];
static atomic_uint called;

static void on_signal(int signal)
{
    count[signal]++;
}

static void on_call(union sigval value)
{
    called += (unsigned)value.sival_int;
}

static void toil(volatile unsigned *until, unsigned n)
{
    volatile uint64_t x = 1;
    while (*until < n)
        for (int i = 0; i < 1000; i++)
            x = x * 31 + 7;
    printf("%u times\n", n);
}

int main(void)
{
    struct itimerval every = {{0, 2000}, {0, 2000}}, off = {{0, 0}, {0, 0}};
    struct itimerspec often = {{0, 2000000}, {0, 2000000}}, never = {{0, 0}, {0, 0}};
    static const int kinds[] = {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF};
    static const int signals[] = {SIGALRM, SIGVTALRM, SIGPROF};
    for (int i = 0; i < 3; i++) {
        signal(signals[i], on_signal);
        setitimer(kinds[i], &every, NULL);
    }
    for (int i = 0; i < 3; i++)
        toil(&count[signals[i]], 12);
    for (int i = 0; i < 3; i++)
        setitimer(kinds[i], &off, NULL);

    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 1};
    signal(SIGRTMIN + 1, on_signal);
    if (timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer) ||
        timer_settime(timer, 0, &often, NULL))
        abort();
    toil(&count[SIGRTMIN + 1], 10);
    timer_settime(timer, 0, &never, NULL);
    timer_delete(timer);

    struct sigevent call = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_call};
    call.sigev_value.sival_int = 1;
    if (timer_create(CLOCK_MONOTONIC, &call, &timer) || timer_settime(timer, 0, &often, NULL))
        abort();
    while (called < 10)
        usleep(1000);
    timer_delete(timer);

    int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    uint64_t ticks = 0, more;
    timerfd_settime(fd, 0, &often, NULL);
    while (ticks < 10 && read(fd, &more, sizeof more) == sizeof more)
        ticks += more;
    signal(SIGTRAP, on_signal);
    struct sigevent traps = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGTRAP};
    if (timer_create(CLOCK_MONOTONIC, &traps, &timer) || timer_settime(timer, 0, &often, NULL))
        abort();
    toil(&count[SIGTRAP], 10);
    timer_delete(timer);
    puts("all of them");
    return 0;
}
