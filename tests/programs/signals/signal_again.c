/* A handler that is left by swapcontext and returned from twice, through the same frame: the kernel
 * reads the frame and does not change it. Then a signal more, whose frame must be as the first. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

enum { ROUNDS = 200 };

static ucontext_t inside, before;
static volatile int returns, strange, handled;

static void on_signal(int signal, siginfo_t *info, void *frame)
{
    (void)signal, (void)info;
    const ucontext_t *interrupted = frame;
    handled++;
    strange += interrupted->uc_stack.ss_size || interrupted->uc_stack.ss_flags & ~SS_DISABLE;
    getcontext(&inside); /* the second time from main, on the same stack and frame */
}

static void once(void)
{
    volatile char room[4096]; /* the frame stays intact below what main does meanwhile */
    room[0] = 1;
    raise(SIGUSR1);
    returns++;
    setcontext(&before);
}

int main(void)
{
    static char stack[1 << 18];
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigaction(SIGUSR1, &action, NULL);
    for (volatile int i = 0; i < ROUNDS; i++) {
        returns = 0;
        getcontext(&before);
        if (returns == 1)
            setcontext(&inside);
        if (returns)
            continue;
        static ucontext_t start;
        getcontext(&start);
        start.uc_stack.ss_sp = stack;
        start.uc_stack.ss_size = sizeof stack;
        makecontext(&start, once, 0);
        setcontext(&start);
    }
    printf("%d handled, %d strange\n", handled, strange);
    return 0;
}
