/* Calls that wait for signals, or hand the state of signals on: for them what the program believes
 * of SIGTRAP must be so. */
#include "agent/base/process.h"
#include "agent/exact/successor.h"
#include "agent/signals/signals.h"
#include "agent/signals/trap.h"
#include "shim/libc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* Defines NAME as the next one's, between the two. */
#define WAITING(type, name, parameters, arguments)                                                 \
    EXPORT type name parameters                                                                    \
    {                                                                                              \
        static __typeof__(name) *next;                                                             \
        libc_function(&next, #name);                                                               \
        trap_wait(true);                                                                           \
        type result = next arguments;                                                              \
        trap_wait(false);                                                                          \
        return result;                                                                             \
    }

WAITING(int, sigwait, (const sigset_t *restrict set, int *restrict got), (set, got))
WAITING(int, sigwaitinfo, (const sigset_t *restrict set, siginfo_t *restrict info), (set, info))
WAITING(int, sigtimedwait,
        (const sigset_t *restrict set, siginfo_t *restrict info,
         const struct timespec *restrict timeout),
        (set, info, timeout))
WAITING(int, sigsuspend, (const sigset_t *mask), (mask))
WAITING(int, ppoll,
        (struct pollfd * fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask),
        (fds, n, timeout, mask))
WAITING(int, pselect,
        (int n, fd_set *restrict in, fd_set *restrict out, fd_set *restrict odd,
         const struct timespec *restrict timeout, const sigset_t *restrict mask),
        (n, in, out, odd, timeout, mask))
WAITING(int, epoll_pwait,
        (int fd, struct epoll_event *events, int n, int timeout, const sigset_t *mask),
        (fd, events, n, timeout, mask))

/* Its descriptor may be read at any time. */
EXPORT int signalfd(int fd, const sigset_t *set, int flags)
{
    static __typeof__(signalfd) *next;
    libc_function(&next, "signalfd");
    if (sigismember(set, SIGTRAP) == 1)
        trap_wait(true);
    return next(fd, set, flags);
}

/* ---- exec; it comes back only when it has failed */

#define EXECUTING(name, parameters, arguments)                                                     \
    EXPORT int name parameters                                                                     \
    {                                                                                              \
        static __typeof__(name) *next;                                                             \
        libc_function(&next, #name);                                                               \
        signals_exec(true);                                                                        \
        int result = next arguments;                                                               \
        signals_exec(false);                                                                       \
        return result;                                                                             \
    }

/* Counted before, since nobody comes back from success; an exact run sees the system call itself.
 */
EXPORT int execve(const char *path, char *const *argv, char *const *envp)
{
    static __typeof__(execve) *next;
    libc_function(&next, "execve");
    bool unseen = agent_samples() && !successor_follows(AT_FDCWD, (uint64_t)(uintptr_t)path,
                                                        (uint64_t)(uintptr_t)envp);
    uint64_t *losses = unseen ? agent_losses() : NULL;
    if (losses)
        agent_add(&losses[LOSS_no_agent], 1);
    signals_exec(true);
    int result = next(path, argv, envp);
    signals_exec(false);
    if (losses)
        agent_add(&losses[LOSS_no_agent], UINT64_MAX);
    return result;
}

EXPORT int execv(const char *path, char *const *argv)
{
    return execve(path, argv, environ);
}

EXECUTING(execvp, (const char *name, char *const *argv), (name, argv))
EXECUTING(execvpe, (const char *name, char *const *argv, char *const *envp), (name, argv, envp))
EXECUTING(fexecve, (int fd, char *const *argv, char *const *envp), (fd, argv, envp))

enum { ARGUMENTS_MAX = 1024 };

/* The arguments of execl and its kin, up to the closing null pointer. False: more than anybody
 * writes. */
static bool gather(const char *first, va_list *rest, char *argv[ARGUMENTS_MAX])
{
    const char *next = first;
    for (size_t n = 0; n < ARGUMENTS_MAX; n++) {
        memcpy(&argv[n], &next, sizeof next);
        if (!next)
            return true;
        next = va_arg(*rest, const char *);
    }
    errno = E2BIG;
    return false;
}

EXPORT int execl(const char *path, const char *first, ...)
{
    char *argv[ARGUMENTS_MAX];
    va_list rest;
    va_start(rest, first);
    bool whole = gather(first, &rest, argv);
    va_end(rest);
    return whole ? execv(path, argv) : -1;
}

EXPORT int execlp(const char *name, const char *first, ...)
{
    char *argv[ARGUMENTS_MAX];
    va_list rest;
    va_start(rest, first);
    bool whole = gather(first, &rest, argv);
    va_end(rest);
    return whole ? execvp(name, argv) : -1;
}
