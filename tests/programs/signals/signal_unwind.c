/* Handlers that unwind: backtrace() from an asynchronous signal must get through the frame of the
 * handler to the function that was interrupted and on to main. */
#include <execinfo.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

__attribute__((noinline)) static uint64_t inner(uint64_t x);
__attribute__((noinline)) static uint64_t outer(uint64_t x);
static volatile unsigned seen, taken;
static volatile int inside;
static uint64_t inner_end, outer_end;

static int within(void *pc, uint64_t (*function)(uint64_t), uint64_t bytes)
{
    return (uint64_t)pc >= (uint64_t)function && (uint64_t)pc < (uint64_t)function + bytes;
}

static void on_signal(int signal)
{
    void *at[64];
    (void)signal;
    if (!inside)
        return;
    int n = backtrace(at, 64), in_inner = 0, in_outer = 0;
    for (int i = 0; i < n; i++) {
        in_inner |= within(at[i], inner, inner_end);
        in_outer |= within(at[i], outer, outer_end);
    }
    taken++;
    seen += in_inner && in_outer;
}

static uint64_t inner(uint64_t x)
{
    inside = 1;
    for (int i = 0; i < 3000; i++)
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    inside = 0;
    return x;
}

static uint64_t outer(uint64_t x)
{
    return inner(x) + inner(x + 1);
}

int main(void)
{
    void *warm[4];
    backtrace(warm, 4); /* loads what unwinds before the first signal */
    inner_end = 200, outer_end = 100;
    struct itimerval every = {{0, 700}, {0, 700}};
    signal(SIGALRM, on_signal);
    setitimer(ITIMER_REAL, &every, NULL);
    volatile uint64_t x = 1;
    while (taken < 150)
        x = outer(x);
    setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
    printf("%s\n", seen == taken ? "every stack was whole" : "stacks were cut");
    if (seen != taken)
        fprintf(stderr, "%u of %u\n", seen, taken);
    return 0;
}
