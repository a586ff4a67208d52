/* Many signals that wait and then come all at once, each to a handler on the alternate stack, which
 * sends itself more: all are handled, there and nowhere else. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 1500, BYTES = 256 << 10 };

static const int numbers[] = {SIGILL,  SIGFPE,  SIGUSR1,  SIGUSR2,   SIGALRM,
                              SIGTERM, SIGHUP,  SIGQUIT,  SIGVTALRM, SIGPROF,
                              SIGURG,  SIGXCPU, SIGWINCH, SIGTRAP,   SIGBUS};
enum { N = sizeof numbers / sizeof numbers[0] };
static char alternate[BYTES];
static volatile int handled[65], wrong_sp, wrong_mask;
static volatile uint64_t sum;

static void on_signal(int number, siginfo_t *info, void *context)
{
    sigset_t now;
    volatile char here = 0;
    (void)context;
    wrong_sp += (uintptr_t)&here - (uintptr_t)alternate >= BYTES ||
                (uintptr_t)info - (uintptr_t)alternate >= BYTES;
    sigprocmask(SIG_BLOCK, NULL, &now);
    wrong_mask += sigismember(&now, number) != 1 || sigismember(&now, SIGCHLD) != 0;
    handled[number]++;
    for (int i = 0; i < 300; i++)
        sum = sum * 5 + 1;
    if (number == SIGUSR1)
        raise(SIGUSR2);
}

int main(void)
{
    stack_t stack = {.ss_sp = alternate, .ss_size = BYTES};
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_ONSTACK | SA_SIGINFO};
    sigset_t all, none;
    sigaltstack(&stack, NULL);
    sigemptyset(&all), sigemptyset(&none);
    for (int i = 0; i < N; i++) {
        sigaction(numbers[i], &action, NULL);
        sigaddset(&all, numbers[i]);
    }
    for (int round = 0; round < ROUNDS; round++) {
        sigprocmask(SIG_SETMASK, &all, NULL);
        for (int i = 0; i < N; i++)
            raise(numbers[i]);
        sigprocmask(SIG_SETMASK, &none, NULL);
    }
    for (int i = 0; i < N; i++) /* that one comes once or twice */
        if (numbers[i] != SIGUSR2)
            printf("%d: %d\n", numbers[i], handled[numbers[i]]);
    printf("not on the stack %d, wrong mask %d\n", wrong_sp, wrong_mask);
    return 0;
}
