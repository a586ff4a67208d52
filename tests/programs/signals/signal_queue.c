/* Real-time signals: queued with values, delivered lowest number first and in order, to a process
 * and to threads. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static volatile int order[256], n;

static void on_signal(int signal, siginfo_t *info, void *context)
{
    (void)context;
    order[n++ & 255] = (signal - SIGRTMIN) * 1000 + info->si_value.sival_int;
}

static void *in_thread(void *unused)
{
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    for (int i = 0; i < 20; i++)
        pthread_sigqueue(pthread_self(), SIGRTMIN + 1 + (i * 7) % 5,
                         (union sigval){.sival_int = i});
    sigemptyset(&old);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    return unused;
}

static void tell(void)
{
    for (int i = 0; i < n; i++)
        printf("%d%c", order[i], i + 1 < n ? ' ' : '\n');
    n = 0;
}

int main(void)
{
    sigset_t all, old;
    sigfillset(&all);
    for (int s = SIGRTMIN; s < SIGRTMIN + 8; s++)
        sigaction(
            s,
            &(struct sigaction){.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO, .sa_mask = all},
            NULL);
    sigprocmask(SIG_SETMASK, &all, &old);
    for (int i = 0; i < 40; i++)
        sigqueue(getpid(), SIGRTMIN + (i * 5) % 8, (union sigval){.sival_int = i});
    sigprocmask(SIG_SETMASK, &old, NULL);
    sigprocmask(SIG_SETMASK, &all, NULL);
    tell();
    pthread_t id;
    pthread_create(&id, NULL, in_thread, NULL);
    pthread_join(id, NULL);
    tell();
    return 0;
}
