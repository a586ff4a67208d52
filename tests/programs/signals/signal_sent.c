/* Signals that the program sends itself: while the handler of a fault runs, no other signal is
 * blocked, and each is handled before raise returns. */
#include <signal.h>
#include <stdio.h>

enum { ROUNDS = 20000 };
static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGSYS, SIGUSR1, SIGPROF};
enum { FAULTS = sizeof faults / sizeof *faults };
static volatile sig_atomic_t handled, nested, blocked;

static void on_other(int signal)
{
    (void)signal;
    nested++;
}

static void on_fault(int signal)
{
    sigset_t now;
    (void)signal;
    sigprocmask(SIG_BLOCK, NULL, &now);
    blocked += sigismember(&now, SIGUSR2);
    raise(SIGUSR2);
    handled++;
}

int main(void)
{
    struct sigaction fault = {.sa_handler = on_fault}, other = {.sa_handler = on_other};
    int late = 0;
    for (int i = 0; i < FAULTS; i++)
        sigaction(faults[i], &fault, NULL);
    sigaction(SIGUSR2, &other, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        raise(faults[i % FAULTS]);
        late += handled != i + 1 || nested != i + 1;
    }
    printf("%d faults, %d with others blocked, %d late\n", (int)handled, (int)blocked, late);
    return 0;
}
