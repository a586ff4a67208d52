/* Threads that each have a timer of their own with SIGPROF sent to them, as profilers of languages do, and one that
 * waits for signals by sigwaitinfo and signalfd. */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 3, TICKS = 60 };
static _Thread_local volatile int ticks;
static void on_prof(int number, siginfo_t *info, void *context)
{
    (void)number, (void)context;
    if (info->si_code == SI_TIMER)
        ticks++;
}

static void *run(void *argument)
{
    struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGPROF };
    event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
    timer_t timer;
    timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer);
    struct itimerspec every = { { 0, 1000000 }, { 0, 1000000 } };
    timer_settime(timer, 0, &every, NULL);
    uint64_t sum = (uint64_t)(uintptr_t)argument;
    for (int i = 0; i < 20000000; i++)
        sum = sum * 31 + (uint64_t)(i & 1023);
    while (ticks < TICKS / 4)
        sum += 0;
    timer_delete(timer);
    return (void *)(uintptr_t)sum;
}

int main(void)
{
    sigaction(SIGPROF, &(struct sigaction){ .sa_sigaction = on_prof, .sa_flags = SA_SIGINFO | SA_RESTART }, NULL);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGRTMIN + 3);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_t threads[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, run, (void *)(i + 1));
    int file = signalfd(-1, &set, 0), received = 0;
    for (int i = 0; i < 50; i++) {
        siginfo_t info;
        union sigval value = { .sival_int = i };
        sigqueue(getpid(), SIGRTMIN + 3, value);
        if (i % 2) {
            struct signalfd_siginfo got;
            received += read(file, &got, sizeof got) == sizeof got && got.ssi_int == i;
        } else {
            received += sigwaitinfo(&set, &info) == SIGRTMIN + 3 && info.si_value.sival_int == i;
        }
    }
    uint64_t all = 0;
    for (int i = 0; i < THREADS; i++) {
        void *sum;
        pthread_join(threads[i], &sum);
        all ^= (uintptr_t)sum;
    }
    printf("%llx %d\n", (unsigned long long)all, received);
    return 0;
}
