/* A fast timer runs until the end of the program, which must come all the same. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

enum { TICK_US = 100 };
static volatile sig_atomic_t ticks;

static void on_tick(int signal)
{
    (void)signal;
    ticks++;
}

static void at_end(void)
{
    puts("the end");
}

int main(void)
{
    struct itimerval often = {{0, TICK_US}, {0, TICK_US}};
    atexit(at_end);
    signal(SIGALRM, on_tick);
    setitimer(ITIMER_REAL, &often, NULL);
    while (ticks < 10)
        ;
    return 0;
}
