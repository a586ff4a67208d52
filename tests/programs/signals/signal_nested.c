/* Signals inside of handlers: deferred by the mask, by the action's mask, or not at all; which runs
 * when, and with which mask, is written down. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char story[4096];
static volatile int depth;

static void tell(const char *text, int signal)
{
    sigset_t mask;
    sigprocmask(SIG_BLOCK, NULL, &mask);
    char line[64];
    snprintf(line, sizeof line, "%*s%s %d mask", depth * 2, "", text, signal);
    strcat(story, line);
    for (int s = 1; s < 32; s++)
        if (sigismember(&mask, s) == 1)
            snprintf(line, sizeof line, " %d", s), strcat(story, line);
    strcat(story, "\n");
}

static void on_inner(int signal)
{
    depth++;
    tell("in", signal);
    if (signal == SIGHUP && depth < 4)
        raise(SIGHUP); /* SA_NODEFER */
    tell("out", signal);
    depth--;
}

static void on_outer(int signal, siginfo_t *info, void *context)
{
    (void)info, (void)context;
    depth++;
    tell("in", signal);
    raise(SIGUSR2); /* in the action's mask: waits */
    static int again;
    if (!again++)
        raise(SIGUSR1); /* the same: waits, too */
    raise(SIGHUP);      /* at once */
    raise(SIGTRAP);
    tell("out", signal);
    depth--;
}

int main(void)
{
    struct sigaction outer = {.sa_sigaction = on_outer, .sa_flags = SA_SIGINFO};
    sigemptyset(&outer.sa_mask);
    sigaddset(&outer.sa_mask, SIGUSR2);
    sigaction(SIGUSR1, &outer, NULL);
    sigaction(SIGHUP, &(struct sigaction){.sa_handler = on_inner, .sa_flags = SA_NODEFER}, NULL);
    sigaction(SIGUSR2, &(struct sigaction){.sa_handler = on_inner}, NULL);
    sigaction(SIGTRAP, &(struct sigaction){.sa_handler = on_inner}, NULL);
    raise(SIGUSR1);
    raise(SIGHUP);
    sigset_t some;
    sigemptyset(&some);
    sigaddset(&some, SIGHUP);
    sigaddset(&some, SIGTRAP);
    sigprocmask(SIG_BLOCK, &some, NULL);
    raise(SIGHUP);
    raise(SIGTRAP);
    tell("blocked", 0);
    sigset_t pending;
    sigpending(&pending);
    printf("pending %d %d %d\n", sigismember(&pending, SIGHUP), sigismember(&pending, SIGTRAP),
           sigismember(&pending, SIGUSR1));
    sigprocmask(SIG_UNBLOCK, &some, NULL);
    tell("unblocked", 0);
    fputs(story, stdout);
    story[0] = 0;
    struct sigaction once = {.sa_handler = on_inner};
    sigaction(SIGUSR1, &once, NULL);
    raise(SIGUSR1);
    fputs(story, stdout);
    return 0;
}
