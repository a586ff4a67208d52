#include "cmd/ending.h"

#include "base/err.h"
#include "cmd/cmd.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>

/* Its core, if any, is the one to keep. */
int end_as(int status)
{
    if (!WIFSIGNALED(status))
        return WEXITSTATUS(status);
    int number = WTERMSIG(status);
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    struct sigaction plain = {.sa_handler = SIG_DFL};
    sigaction(number, &plain, NULL);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    fflush(NULL);
    raise(number);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    return 128 + number;
}

int end_not_started(int exec_errno, const struct err *err)
{
    say("%s", err->text);
    if (!exec_errno)
        return EXIT_RECORD_FAILED;
    return exec_errno == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}
