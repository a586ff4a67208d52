/* Signals that a program sends itself, handled before the call returns, while a timer's signals
 * come in between. */
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

enum { RAISED = 3000, TICK_US = 300, WORK = 2000 };
static volatile sig_atomic_t handled, ticks;

static void count(int signal)
{
    if (signal == SIGUSR1)
        handled++;
    else
        ticks++;
}

static unsigned work(unsigned value)
{
    for (int i = 0; i < WORK; i++)
        value = value * 69069 + (value >> 9);
    return value;
}

int main(void)
{
    struct itimerval often = {{0, TICK_US}, {0, TICK_US}};
    signal(SIGUSR1, count);
    signal(SIGALRM, count);
    setitimer(ITIMER_REAL, &often, NULL);
    int late = 0;
    unsigned value = 1;
    for (int i = 0; i < RAISED; i++) {
        value = work(value);
        raise(SIGUSR1);
        late += handled != i + 1;
    }
    setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
    sigset_t blocked;
    sigprocmask(SIG_BLOCK, NULL, &blocked);
    printf("%d handled, %d late, blocked %d %d, %s, %x\n", (int)handled, late,
           sigismember(&blocked, SIGUSR1), sigismember(&blocked, SIGALRM),
           ticks ? "with ticks" : "without a tick", value);
    return 0;
}
