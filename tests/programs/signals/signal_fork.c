/* Handlers that fork, exec, start threads and exit: a process goes on from inside of them. */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile unsigned children, sum;

static uint64_t toil(uint64_t x)
{
    for (int i = 0; i < 20000; i++)
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    return x;
}

static void on_signal(int signal)
{
    int status;
    (void)signal;
    if (children >= 40)
        return;
    pid_t pid = children % 2 ? fork() : vfork();
    if (pid == 0) {
        if (children % 2)
            _exit((int)(toil(children + 1) & 63));
        execl("/bin/sh", "sh", "-c", "exit 7", (char *)NULL);
        _exit(127);
    }
    waitpid(pid, &status, 0);
    children++;
    sum = sum * 31 + (unsigned)status;
}

static void on_child(int signal)
{
    (void)signal;
    if (fork() == 0) /* goes on below, in the interrupted loop */
        return;
}

static void on_end(int signal)
{
    printf("ending in %d\n", signal);
    exit(17);
}

int main(void)
{
    struct itimerval every = {{0, 1000}, {0, 1000}};
    uint64_t x = 1;
    signal(SIGALRM, on_signal);
    setitimer(ITIMER_REAL, &every, NULL);
    while (children < 40)
        x = toil(x);
    setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
    printf("%u children, %u\n", children, sum);
    fflush(stdout);
    pid_t self = getpid();
    signal(SIGUSR1, on_child);
    raise(SIGUSR1);
    x = toil(1);
    if (getpid() != self)
        _exit((int)(x & 31) + 1);
    int status;
    wait(&status);
    printf("a child went on from a handler: %d\n", WEXITSTATUS(status) == (int)(x & 31) + 1);
    signal(SIGTERM, on_end);
    raise(SIGTERM);
    return 1;
}
