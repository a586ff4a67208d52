#include "collect/doctor/attempt.h"

#include "base/scope.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ATTEMPT_MS = 5000 };

struct answer {
    int64_t error;
    uint64_t value;
};

/* What the child was given must not steer or stop it, nor be disturbed by it. */
static void child_prepare(void)
{
    AUTO(fd_close) int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = 0; null >= 0 && fd <= 2; fd++)
        dup2(null, fd);
    for (int number = 1; number < 32; number++)
        signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
}

_Noreturn static void child_run(attempt_fn *attempt, const void *with, int answer_fd)
{
    struct answer answer = {0};
    /* Where gait was started without stdin or stderr the pipe has their numbers. */
    answer_fd = fcntl(answer_fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    child_prepare();
    answer.error = attempt(&answer.value, with);
    ssize_t written = write(answer_fd, &answer, sizeof answer);
    _exit(written == sizeof answer ? 0 : 1);
}

static bool answer_read(int fd, struct answer *ret_answer)
{
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    int n;
    do
        n = poll(&ready, 1, ATTEMPT_MS);
    while (n < 0 && errno == EINTR);
    return n == 1 && read(fd, ret_answer, sizeof *ret_answer) == sizeof *ret_answer;
}

struct attempt_outcome attempt_run(attempt_fn *attempt, const void *with)
{
    struct attempt_outcome untried = {.result = ATTEMPT_UNTRIED};
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        return untried;
    AUTO(fd_close) int read_end = ends[0];
    pid_t pid = fork();
    if (pid == 0)
        child_run(attempt, with, ends[1]);
    close(ends[1]);
    if (pid < 0)
        return untried;
    struct answer answer = {0};
    bool answered = answer_read(read_end, &answer);
    if (!answered)
        kill(pid, SIGALRM); /* it hangs, or is dead already of something else */
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (!answered) {
        if (!WIFSIGNALED(status) || WTERMSIG(status) == SIGALRM)
            return untried;
        return (struct attempt_outcome){.result = ATTEMPT_KILLED, .why = WTERMSIG(status)};
    }
    if (answer.error == ATTEMPT_SILENT)
        return (struct attempt_outcome){.result = ATTEMPT_MUTE, .value = answer.value};
    return (struct attempt_outcome){.result = answer.error ? ATTEMPT_REFUSED : ATTEMPT_WORKS,
                                    .why = (int)answer.error,
                                    .value = answer.value};
}
