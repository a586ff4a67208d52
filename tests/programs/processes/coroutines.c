/* Coroutines on small stacks: swapcontext, and a switch of five instructions, back and forth a
 * million times; signals arrive on stacks of 16 KiB. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <ucontext.h>

enum { STACK = 16 << 10, N = 8, TURNS = 20000, SWITCHES = 1000000 };
static ucontext_t home, context[N];
static char stacks[N][STACK] __attribute__((aligned(64)));
static uint64_t sum;
static volatile unsigned ticks;

static void on_tick(int signal)
{
    (void)signal;
    ticks++;
}

static void body(int me)
{
    uint64_t x = (uint64_t)me + 1;
    double y = me;
    for (int i = 0; i < TURNS / N; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        y = y * 1.25 + me;
        if (y > 1e9)
            y = me;
        sum = sum * 31 + x + (uint64_t)y;
        swapcontext(&context[me], &context[(me + 1) % N]);
    }
}

static void *switched[2];
void stack_switch(void **from, void *to);
__asm__(
    ".text\nstack_switch: push %rbx\n push %rbp\n push %r12\n push %r13\n push %r14\n push %r15\n"
    "mov %rsp,(%rdi)\n mov %rsi,%rsp\n pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbp\n pop "
    "%rbx\n ret\n");

static void other_side(void)
{
    for (uint64_t i = 0;; i++) {
        sum = sum * 33 + i;
        stack_switch(&switched[1], switched[0]);
    }
}

int main(void)
{
    struct itimerval every = {{0, 900}, {0, 900}};
    signal(SIGALRM, on_tick);
    setitimer(ITIMER_REAL, &every, NULL);
    for (int i = 0; i < N; i++) {
        getcontext(&context[i]);
        context[i].uc_stack.ss_sp = stacks[i];
        context[i].uc_stack.ss_size = STACK;
        context[i].uc_link = &home;
        makecontext(&context[i], (void (*)(void))body, 1, i);
    }
    swapcontext(&home, &context[0]);
    printf("%lx\n", sum);
    static char stack[STACK] __attribute__((aligned(64)));
    uint64_t *top = (uint64_t *)(stack + STACK) - 8;
    top[6] = (uint64_t)other_side;
    switched[1] = top;
    for (int i = 0; i < SWITCHES; i++)
        stack_switch(&switched[0], switched[1]);
    setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
    printf("%lx\n", sum);
    return 0;
}
