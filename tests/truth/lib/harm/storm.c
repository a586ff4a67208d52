/* Signals every 100 us by three timers, and handlers for what gait itself might use: traps, SIGPROF, SIGVTALRM. Every
 * trap that comes is the program's own: it executes int3 a known number of times. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static volatile int alarms, profs, virtuals, traps;
static void on_alarm(int n) { (void)n, alarms++; }
static void on_prof(int n) { (void)n, profs++; }
static void on_virtual(int n) { (void)n, virtuals++; }
static void on_trap(int n) { (void)n, traps++; }

static void start(int which, int us)
{
    struct itimerval timer = { { 0, us }, { 0, us } };
    setitimer(which, &timer, NULL);
}

int main(void)
{
    signal(SIGALRM, on_alarm);
    signal(SIGPROF, on_prof);
    signal(SIGVTALRM, on_virtual);
    signal(SIGTRAP, on_trap);
    start(ITIMER_REAL, 100);
    start(ITIMER_PROF, 1000);
    start(ITIMER_VIRTUAL, 1000);
    uint64_t sum = 1;
    char text[64];
    for (int i = 0; i < 40000; i++) {
        for (int k = 0; k < 1000; k++)
            sum = sum * 31 + (uint64_t)(k ^ i);
        memset(text, i, sizeof text);
        sum += (unsigned char)text[i % 64];
        if (i % 100 == 0)
            __asm__ volatile("int3");
    }
    /* The kernel counts time of the program's own by ticks: on a busy machine none may have come yet. */
    for (volatile uint64_t i = 0; i < 10000000000 && !(alarms && profs && virtuals); i++)
        ;
    start(ITIMER_REAL, 0);
    start(ITIMER_PROF, 0);
    start(ITIMER_VIRTUAL, 0);
    printf("%llx, %d traps, alarms %s, SIGPROF %s, SIGVTALRM %s\n", (unsigned long long)sum, traps, alarms ? "came" : "none",
           profs ? "came" : "none", virtuals ? "came" : "none");
    return 0;
}
