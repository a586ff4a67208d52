/* siginterrupt(): whether system calls start again after a handler, what sigaction says of it, and
 * what a later signal() makes of it. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* Deprecated, and used all the same. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static volatile sig_atomic_t handled;

static void on_signal(int signal)
{
    (void)signal;
    handled++;
}

static void on_signal_told(int signal, siginfo_t *info, void *context)
{
    (void)info, (void)context;
    on_signal(signal);
}

/* A read that SIGALRM finds waiting, and that has something to read later: only then if it was not
 * interrupted. */
static void try(const char *what)
{
    struct itimerval soon = {{0, 0}, {0, 20000}};
    struct sigaction action;
    int ends[2];
    char byte;
    if (pipe(ends))
        _exit(1);
    sigaction(SIGALRM, NULL, &action);
    handled = 0;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        usleep(120000);
        _exit(write(ends[1], "x", 1) != 1);
    }
    setitimer(ITIMER_REAL, &soon, NULL);
    long result = read(ends[0], &byte, 1);
    printf("%s: restart %d, read %ld %s, handled %d\n", what, !!(action.sa_flags & SA_RESTART),
           result, result < 0 ? strerrorname_np(errno) : "", (int)handled);
    waitpid(child, NULL, 0);
    close(ends[0]);
    close(ends[1]);
}

int main(void)
{
    struct sigaction told = {.sa_flags = SA_SIGINFO, .sa_sigaction = on_signal_told};
    sigaction(SIGALRM, &told, NULL);
    try("sigaction");
    siginterrupt(SIGALRM, 0);
    try("siginterrupt 0");
    sigaction(SIGALRM, NULL, &told);
    sigaction(SIGALRM, &told, NULL);
    try("put back what was read");
    siginterrupt(SIGALRM, 1);
    try("siginterrupt 1");
    signal(SIGALRM, on_signal);
    try("signal after siginterrupt 1");
    siginterrupt(SIGALRM, 0);
    try("siginterrupt 0 after signal");
    signal(SIGALRM, on_signal);
    try("signal after siginterrupt 0");
    int result = siginterrupt(SIGKILL, 1);
    printf("SIGKILL: %d %s\n", result, result ? strerrorname_np(errno) : "");
    result = siginterrupt(1000, 1);
    printf("1000: %d %s\n", result, result ? strerrorname_np(errno) : "");
    return 0;
}
