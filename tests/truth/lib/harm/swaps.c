/* swapcontext among many small stacks, from the program and from a handler that preempts one context for the next. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <ucontext.h>

enum { CONTEXTS = 40, STACK = 16384, STEPS = 60000 };
static ucontext_t main_context, contexts[CONTEXTS];
static uint64_t sums[CONTEXTS];
static volatile int current = -1, ticks, left = CONTEXTS;
static volatile char finished[CONTEXTS];

/* current is set only while the context's own stack is in use: a tick that comes while swapcontext is between two
 * stacks must not swap. */
static void turn(void)
{
    int self = current;
    current = -1;
    swapcontext(&contexts[self], &main_context);
    current = self;
}

static void work(int self)
{
    current = self;
    for (int i = 0; i < STEPS; i++) {
        sums[self] = sums[self] * 31 + (uint64_t)(i ^ self);
        if (i % 7 == self % 7)
            turn();
    }
    current = -1;
    finished[self] = 1;
    left--;
}

/* The signal stays blocked while a context waits inside the handler; each swap restores the other's mask. */
static void on_tick(int number)
{
    (void)number;
    ticks++;
    if (current >= 0)
        turn();
}

int main(void)
{
    for (int i = 0; i < CONTEXTS; i++) {
        getcontext(&contexts[i]);
        contexts[i].uc_stack.ss_sp = malloc(STACK);
        contexts[i].uc_stack.ss_size = STACK;
        contexts[i].uc_link = &main_context;
        makecontext(&contexts[i], (void (*)(void))work, 1, i);
    }
    struct sigaction action = { .sa_handler = on_tick, .sa_flags = SA_RESTART };
    sigaction(SIGALRM, &action, NULL);
    struct itimerval timer = { { 0, 500 }, { 0, 500 } };
    setitimer(ITIMER_REAL, &timer, NULL);
    for (int round = 0; left; round++) {
        int i = round % CONTEXTS;
        if (finished[i])
            continue;
        swapcontext(&main_context, &contexts[i]);
    }
    timer = (struct itimerval){ 0 };
    setitimer(ITIMER_REAL, &timer, NULL);
    uint64_t all = 0;
    for (int i = 0; i < CONTEXTS; i++)
        all = all * 1000003 + sums[i];
    printf("%llx\n", (unsigned long long)all);
    return 0;
}
