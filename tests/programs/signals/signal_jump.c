/* siglongjmp out of handlers of timers and of kills, in the main thread and in others, thousands of
 * times; the mask and the callee-saved registers come back. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

enum { JUMPS = 500 };
static _Thread_local sigjmp_buf back;
static _Thread_local volatile int may_jump;

static void on_signal(int signal)
{
    if (may_jump) {
        may_jump = 0;
        siglongjmp(back, signal);
    }
}

__attribute__((noinline)) static uint64_t nested(int depth)
{
    volatile char here[64];
    here[depth % 64] = (char)depth;
    if (depth)
        return nested(depth - 1) + (uint64_t)here[depth % 64];
    for (;;)
        here[0]++;
}

static uint64_t jump_often(int wanted)
{
    volatile uint64_t jumped = 0;
    sigset_t mask;
    while (jumped < JUMPS) {
        int signal = sigsetjmp(back, 1);
        if (signal == 0) {
            may_jump = 1;
            nested((int)(jumped % 20));
        }
        pthread_sigmask(SIG_BLOCK, NULL, &mask);
        if (signal != wanted || sigismember(&mask, wanted))
            abort();
        jumped++;
    }
    return jumped;
}

static void *run(void *unused)
{
    (void)unused;
    sigset_t mask;
    sigemptyset(&mask);
    sigaddset(&mask, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &mask, NULL);
    return (void *)jump_often(SIGUSR1);
}

static volatile int stop;
static void *sends(void *to)
{
    while (!stop) {
        pthread_kill(*(pthread_t *)to, SIGUSR1);
        usleep(5);
    }
    return NULL;
}

int main(void)
{
    pthread_t id, sender;
    void *result;
    struct itimerval every = {{0, 300}, {0, 300}};
    signal(SIGALRM, on_signal);
    signal(SIGUSR1, on_signal);
    pthread_create(&id, NULL, run, NULL);
    pthread_create(&sender, NULL, sends, &id);
    pthread_join(id, &result);
    stop = 1;
    pthread_join(sender, NULL);
    printf("%lu jumps in a thread\n", (uint64_t)result);
    setitimer(ITIMER_REAL, &every, NULL);
    printf("%lu jumps in main\n", jump_often(SIGALRM));
    return 0;
}
