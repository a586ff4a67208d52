/* Handlers that ask for an alternate stack where the program has set none: they run on the stack at
 * hand, however deep, may be left for another stack, and see that there is no alternate one. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <ucontext.h>

enum { ROUNDS = 60, LOCALS = 300000 };

static volatile unsigned handled, strange;
static ucontext_t contexts[2];
static char stacks[2][1 << 19];
static volatile int now;

/* Touches more than any small stack has. */
static unsigned deep(unsigned n)
{
    volatile char locals[LOCALS];
    for (int i = 0; i < LOCALS; i += 1024)
        locals[i] = (char)(n + (unsigned)i);
    return (unsigned char)locals[LOCALS / 2048 * 1024];
}

static void on_alarm(int signal, siginfo_t *info, void *frame)
{
    (void)signal, (void)info;
    const ucontext_t *interrupted = frame;
    uintptr_t here = (uintptr_t)&interrupted,
              sp = (uintptr_t)interrupted->uc_mcontext.gregs[REG_RSP];
    strange += sp - here > 1 << 16; /* the frame lies right below */
    /* 0 or SS_DISABLE: the kernel keeps the flags across exec, so they are an ancestor's. */
    strange += interrupted->uc_stack.ss_size || interrupted->uc_stack.ss_flags & ~SS_DISABLE;
    deep(handled++);
    int before = now;
    now = !before;
    swapcontext(&contexts[before], &contexts[!before]); /* preempted: the other goes on */
}

/* The next alarm is set when the last has been handled: where handlers take longer than alarms are
 * apart, as with little of a CPU, nothing else would ever run. */
static void turns(void)
{
    static volatile unsigned seen = UINT32_MAX;
    const struct itimerval soon = {.it_value = {0, 2000}};
    sigset_t alarm_set;
    sigemptyset(&alarm_set);
    sigaddset(&alarm_set, SIGALRM);
    sigprocmask(SIG_UNBLOCK, &alarm_set, NULL);
    volatile uint64_t x = 1;
    while (handled < ROUNDS) {
        x = x * 5 + 1;
        if (seen == handled)
            continue;
        seen = handled;
        setitimer(ITIMER_REAL, &soon, NULL);
    }
    sigprocmask(SIG_BLOCK, &alarm_set, NULL); /* or the other would print it, too */
    exit(printf("%u handled, %u strange\n", handled < ROUNDS ? 0u : ROUNDS, strange) < 0);
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = on_alarm,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
    sigset_t alarm_set;
    sigemptyset(&alarm_set);
    sigaddset(&alarm_set, SIGALRM);
    /* Contexts begin with it blocked: changing to one sets its mask before its stack. */
    sigprocmask(SIG_BLOCK, &alarm_set, NULL);
    for (int i = 0; i < 2; i++) {
        getcontext(&contexts[i]);
        contexts[i].uc_stack.ss_sp = stacks[i];
        contexts[i].uc_stack.ss_size = sizeof stacks[i];
        makecontext(&contexts[i], turns, 0);
    }
    sigaction(SIGALRM, &action, NULL);
    setcontext(&contexts[0]);
    return 1;
}
