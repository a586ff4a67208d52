/* Children whose ends are told by SIGCHLD: a handler that reaps, SA_NOCLDWAIT, SA_RESETHAND,
 * children that die of signals, that stop and go on. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile unsigned reaped, statuses;

static void on_child(int signal)
{
    (void)signal;
    int kept = errno, status;
    while (waitpid(-1, &status, WNOHANG) > 0)
        reaped++, statuses += (unsigned)status;
    errno = kept;
}

static pid_t child(int how)
{
    pid_t pid = fork();
    if (pid < 0)
        abort();
    if (pid)
        return pid;
    if (how % 3 == 0)
        raise(SIGKILL);
    if (how % 3 == 1)
        raise(SIGUSR2);
    _exit(how);
}

int main(void)
{
    sigset_t blocked, old;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGCHLD);
    sigaction(SIGCHLD, &(struct sigaction){.sa_handler = on_child, .sa_flags = SA_RESTART}, NULL);
    sigprocmask(SIG_BLOCK, &blocked, &old);
    for (int i = 0; i < 60; i++)
        child(i);
    while (reaped < 60)
        sigsuspend(&old);
    sigprocmask(SIG_SETMASK, &old, NULL);
    printf("%u reaped, %u\n", reaped, statuses);

    sigaction(SIGCHLD, &(struct sigaction){.sa_handler = SIG_DFL, .sa_flags = SA_NOCLDWAIT}, NULL);
    for (int i = 0; i < 10; i++)
        child(i);
    int status;
    while (wait(&status) > 0)
        ;
    printf("none left: %d\n", errno == ECHILD);

    signal(SIGCHLD, SIG_DFL);
    int ends[2];
    char byte;
    if (pipe(ends))
        abort();
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[1]);
        raise(SIGSTOP);
        _exit(read(ends[0], &byte, 1) == 0 ? 4 : 5); /* lives until it was seen to go on */
    }
    waitpid(pid, &status, WUNTRACED);
    printf("stopped %d by %d\n", WIFSTOPPED(status), WSTOPSIG(status));
    kill(pid, SIGCONT);
    waitpid(pid, &status, WCONTINUED);
    printf("continued %d\n", WIFCONTINUED(status));
    close(ends[1]);
    waitpid(pid, &status, 0);
    printf("ended with %d\n", WEXITSTATUS(status));

    sigaction(SIGUSR1, &(struct sigaction){.sa_handler = on_child, .sa_flags = (int)SA_RESETHAND},
              NULL);
    raise(SIGUSR1);
    fflush(stdout);
    raise(SIGUSR1);
    return 0;
}
