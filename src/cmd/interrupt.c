#include "cmd/interrupt.h"

#include "base/err.h"

#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { SIGNALS = sizeof signals / sizeof *signals };

static volatile sig_atomic_t came;
static volatile pid_t child; /* negative: its group; 0: there is none */

static void on_signal(int signal)
{
    came = signal;
    if (child)
        kill(child, signal);
}

void interrupts_catch(void)
{
    for (size_t i = 0; i < SIGNALS; i++) {
        struct sigaction before, action = {.sa_handler = on_signal};
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    }
}

int interrupt_signal(void)
{
    return came;
}

bool interrupt_none(struct err *err)
{
    return !came || err_set(err, ERR_SYSTEM, "stopped: %s", strsignal(came));
}

/* Those that were caught are no longer after execve; until then the child must not act as the
 * parent. */
static void child_reset(void)
{
    for (size_t i = 0; i < SIGNALS; i++) {
        struct sigaction before;
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler == on_signal)
            signal(signals[i], SIG_DFL);
    }
}

pid_t interrupt_fork(bool group)
{
    sigset_t mask, before;
    sigemptyset(&mask);
    for (size_t i = 0; i < SIGNALS; i++)
        sigaddset(&mask, signals[i]);
    sigprocmask(SIG_BLOCK, &mask, &before);
    pid_t pid = fork();
    if (pid == 0) {
        if (group)
            setpgid(0, 0);
        child_reset();
    } else if (pid > 0) {
        if (group)
            setpgid(pid, pid); /* whoever is first: the group must be there when it is told */
        child = group ? -pid : pid;
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    return pid;
}

void interrupt_forget(void)
{
    child = 0;
}

_Noreturn void interrupt_die(int signal_)
{
    signal(signal_, SIG_DFL);
    raise(signal_);
    _exit(128 + signal_);
}
