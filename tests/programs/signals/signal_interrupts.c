/* System calls that signals interrupt: which fail with EINTR and which start again, what is left of
 * a sleep, and reads from pipes that are cut in the middle. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned handled;
static int ends[2];

static void on_signal(int signal)
{
    (void)signal;
    handled++;
}

static void set(int flags)
{
    sigaction(SIGALRM, &(struct sigaction){.sa_handler = on_signal, .sa_flags = flags}, NULL);
}

/* Late enough that the call to be interrupted has begun; again and again, as a machine with other
 * work may take longer to begin it. */
static void soon(void)
{
    struct itimerval often = {{0, 80000}, {0, 80000}};
    handled = 0;
    setitimer(ITIMER_REAL, &often, NULL);
}

static void tell(const char *what, long result)
{
    const char *why = result < 0 ? strerrorname_np(errno) : "";
    setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
    printf("%s: %ld %s, %s\n", what, result, why, handled ? "handled" : "not handled");
}

static void *writes(void *unused)
{
    usleep(200000);
    if (write(ends[1], "x", 1) != 1)
        abort();
    return unused;
}

int main(void)
{
    char byte;
    pthread_t id;
    sigset_t alarm_set;
    sigemptyset(&alarm_set);
    sigaddset(&alarm_set, SIGALRM);
    if (pipe(ends))
        return 1;
    set(0);
    soon(), tell("read", read(ends[0], &byte, 1));
    struct timespec two = {2, 0}, left = {0, 0};
    soon(), tell("nanosleep", nanosleep(&two, &left));
    printf("left: %ld s and more\n", (long)left.tv_sec);
    struct pollfd poll_fd = {.fd = ends[0], .events = POLLIN};
    soon(), tell("poll", poll(&poll_fd, 1, 2000));
    soon(), tell("select", select(0, NULL, NULL, NULL, &(struct timeval){2, 0}));
    soon(), tell("pause", pause());
    sem_t semaphore;
    sem_init(&semaphore, 0, 0);
    soon(), tell("sem_wait", sem_wait(&semaphore));
    set(SA_RESTART);
    pthread_sigmask(SIG_BLOCK, &alarm_set, NULL);
    pthread_create(&id, NULL, writes, NULL);
    pthread_sigmask(SIG_UNBLOCK, &alarm_set, NULL);
    soon(), tell("read again", read(ends[0], &byte, 1));
    pthread_join(id, NULL);
    pid_t pid = fork();
    if (pid == 0) {
        usleep(200000);
        _exit(3);
    }
    int status;
    soon(), tell("wait again", waitpid(pid, &status, 0) == pid);
    soon(), tell("poll never restarts", poll(&poll_fd, 1, 2000));
    soon(), tell("nanosleep", nanosleep(&two, NULL));
    return 0;
}
