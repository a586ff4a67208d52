/* Signals that are waited for, not handled: sigwait, sigtimedwait, signalfd, sigsuspend, pause,
 * ppoll; SIGTRAP, SIGPROF and SIGUSR1 alike. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

static volatile int handled;
static void on_signal(int signal)
{
    handled = signal;
}

static void wait_for(int signal)
{
    sigset_t set, old, pending;
    siginfo_t info;
    int got;
    sigemptyset(&set);
    sigaddset(&set, signal);
    sigprocmask(SIG_BLOCK, &set, &old);
    kill(getpid(), signal);
    sigpending(&pending);
    printf("%d: pending %d", signal, sigismember(&pending, signal));
    sigwait(&set, &got);
    printf(", sigwait %d", got);
    struct timespec soon = {0, 1000000};
    got = sigtimedwait(&set, &info, &soon);
    printf(", nothing more %d", got < 0 && errno == EAGAIN);
    sigqueue(getpid(), signal, (union sigval){.sival_int = 55});
    got = sigtimedwait(&set, &info, NULL);
    printf(", queued %d %d %d", got, info.si_value.sival_int, info.si_code == SI_QUEUE);
    int fd = signalfd(-1, &set, SFD_CLOEXEC);
    kill(getpid(), signal);
    struct signalfd_siginfo read_info;
    if (read(fd, &read_info, sizeof read_info) != sizeof read_info)
        abort();
    printf(", signalfd %u from %s", read_info.ssi_signo,
           (pid_t)read_info.ssi_pid == getpid() ? "itself" : "another");
    close(fd);
    struct sigaction before, action = {.sa_handler = on_signal};
    sigaction(signal, &action, &before);
    kill(getpid(), signal);
    sigset_t suspended = old;
    sigdelset(&suspended, signal);
    handled = 0;
    got = sigsuspend(&suspended);
    printf(", suspended %d %d", got < 0 && errno == EINTR, handled);
    kill(getpid(), signal);
    handled = 0;
    got = ppoll(NULL, 0, NULL, &suspended);
    printf(", ppoll %d %d", got < 0 && errno == EINTR, handled);
    handled = 0;
    sigprocmask(SIG_SETMASK, &old, NULL);
    kill(getpid(), signal);
    printf(", unblocked %d", handled);
    sigaction(signal, &(struct sigaction){.sa_handler = SIG_IGN}, NULL);
    kill(getpid(), signal);
    printf(", ignored");
    struct sigaction now;
    sigaction(signal, &before, &now);
    printf(", %s\n",
           now.sa_handler == SIG_IGN && before.sa_handler == SIG_DFL ? "as it was" : "other");
}

int main(void)
{
    wait_for(SIGUSR1);
    wait_for(SIGPROF);
    wait_for(SIGTRAP);
    wait_for(SIGRTMIN + 3);
    wait_for(SIGTRAP);
    return 0;
}
