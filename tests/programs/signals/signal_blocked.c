/* Signals of faults and traps that the program sends itself while it has them blocked: they wait,
 * whatever else is handled meanwhile, and come when they are unblocked, each once. */
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

enum { ROUNDS = 300, WORK = 2000, TICK_US = 300 };
static const int waiting[] = {SIGILL, SIGFPE, SIGTRAP, SIGSEGV, SIGBUS};
enum { WAITING = sizeof waiting / sizeof waiting[0] };
static volatile sig_atomic_t blocked, early, came[32], others, ticks;

static void on_waiting(int signal)
{
    early += blocked;
    came[signal]++;
}

static void on_other(int signal)
{
    if (signal == SIGALRM)
        ticks++;
    else
        others++;
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
    sigset_t set, before;
    unsigned value = 1;
    sigemptyset(&set);
    for (int i = 0; i < WAITING; i++) {
        signal(waiting[i], on_waiting);
        sigaddset(&set, waiting[i]);
    }
    signal(SIGUSR1, on_other);
    signal(SIGALRM, on_other);
    setitimer(ITIMER_REAL, &often, NULL);
    for (int round = 0; round < ROUNDS; round++) {
        sigprocmask(SIG_BLOCK, &set, &before);
        blocked = 1;
        for (int i = 0; i < WAITING; i++)
            raise(waiting[i]);
        raise(SIGUSR1);
        value = work(value);
        blocked = 0;
        sigprocmask(SIG_SETMASK, &before, NULL);
    }
    setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
    sigprocmask(SIG_BLOCK, NULL, &before);
    printf("%d early, %d others, %s, %x;", (int)early, (int)others, ticks ? "ticks" : "no tick",
           value);
    for (int i = 0; i < WAITING; i++)
        printf(" %d of %d%s", (int)came[waiting[i]], waiting[i],
               sigismember(&before, waiting[i]) ? " blocked" : "");
    printf("%s\n", sigismember(&before, SIGALRM) ? ", others blocked" : "");
    return 0;
}
