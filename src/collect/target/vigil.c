#include "collect/target/vigil.h"

#include "base/clock.h"
#include "base/err.h"
#include "collect/target/launch.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Who records without a program of its own is what the terminal talks to. */
static void signals_own(sigset_t *set)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigaddset(set, SIGINT);
    sigprocmask(SIG_BLOCK, set, NULL);
    sigaction(SIGXFSZ, &ignore, NULL); /* a file size limit shall be an error of write */
}

bool vigil_init(struct vigil *vigil, struct child *child, struct err *err)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    if (child)
        sigaddset(&set, SIGCHLD);
    else
        signals_own(&set);
    int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (fd < 0)
        return err_errno(err, "cannot wait for signals");
    *vigil = (struct vigil){.child = child};
    *vec_push(vigil) = (struct pollfd){.fd = fd, .events = POLLIN};
    return true;
}

void vigil_release(struct vigil *vigil)
{
    for (size_t i = 0; i < vigil->n; i++)
        if (i <= vigil->processes && vigil->at[i].fd >= 0)
            close(vigil->at[i].fd);
    vec_release(vigil);
}

void vigil_ring(struct vigil *vigil, int fd)
{
    *vec_push(vigil) = (struct pollfd){.fd = fd, .events = POLLIN};
}

bool vigil_process(struct vigil *vigil, int pid, struct err *err)
{
    ASSERT(vigil->n == vigil->processes + 1);
    int fd = (int)syscall(SYS_pidfd_open, pid, 0);
    if (fd < 0)
        return err_errno(err, "process %d", pid);
    *vec_push(vigil) = (struct pollfd){.fd = fd, .events = POLLIN};
    vigil->processes++;
    vigil->watched++;
    return true;
}

static void signal_take(struct vigil *vigil)
{
    struct signalfd_siginfo info;
    if (vigil->child)
        launch_wait(vigil->child, 0);
    else if (read(vigil->at[0].fd, &info, sizeof info) > 0)
        vigil->ended = true;
}

void vigil_wait(struct vigil *vigil, uint64_t due_ns)
{
    uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
    uint64_t ns = due_ns > now_ns ? due_ns - now_ns : 0;
    struct timespec timeout = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
    if (ppoll(vigil->at, vigil->n, &timeout, NULL) <= 0)
        return;
    if (vigil->at[0].revents)
        signal_take(vigil);
    for (size_t i = 1; i <= vigil->processes; i++)
        if (vigil->at[i].revents) {
            close(vigil->at[i].fd);
            vigil->at[i].fd = -1;
            vigil->ended = --vigil->watched == 0 || vigil->ended;
        }
    /* Once a thread and all that it started are gone, its ring only says so, again and again. */
    for (size_t i = vigil->processes + 1; i < vigil->n; i++)
        if (vigil->at[i].revents & (POLLHUP | POLLERR))
            vigil->at[i].fd = -1;
    if (vigil->child && vigil->child->ended)
        vigil->ended = true;
}
