#include "collect/target/launch.h"

#include "base/err.h"
#include "base/memory.h"
#include "base/scope.h"
#include "collect/target/preload.h"
#include "wire/channel.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* Signals whose disposition gait changes for itself, and gives back to the child. */
static const struct {
    int signal;
    void (*mine)(int);
} changed[] = {
    {SIGCHLD, SIG_DFL}, /* ignored would mean that there is no status to wait for */
    {SIGINT, SIG_IGN},
    {SIGQUIT, SIG_IGN},
    {SIGXFSZ, SIG_IGN}, /* a file size limit shall be an error of write */
};
enum { CHANGED_INT = 1, CHANGED_N = sizeof changed / sizeof *changed };

struct signals {
    sigset_t mask;
    struct sigaction actions[CHANGED_N];
};

static void signals_awaited(sigset_t *ret_set)
{
    sigemptyset(ret_set);
    sigaddset(ret_set, SIGCHLD);
    sigaddset(ret_set, SIGTERM);
    sigaddset(ret_set, SIGHUP);
}

static void signals_take(struct signals *ret_before)
{
    sigset_t awaited;
    signals_awaited(&awaited);
    sigprocmask(SIG_BLOCK, &awaited, &ret_before->mask);
    for (int i = 0; i < CHANGED_N; i++) {
        struct sigaction action = {.sa_handler = changed[i].mine};
        sigaction(changed[i].signal, &action, &ret_before->actions[i]);
    }
}

static void signals_give_back(const struct signals *before)
{
    for (int i = 0; i < CHANGED_N; i++)
        sigaction(changed[i].signal, &before->actions[i], NULL);
    sigprocmask(SIG_SETMASK, &before->mask, NULL);
}

/* ---- environment */

static bool is_variable(const char *entry, const char *name)
{
    size_t length = strlen(name);
    return strncmp(entry, name, length) == 0 && entry[length] == '=';
}

/* As long in every recording: the environment is on the program's stack, and glibc's string
 * functions go other ways where a string lies elsewhere, so exact counts would not be the same
 * twice. Further slashes mean nothing. */
static char *channel_variable(struct arena *arena, int fd)
{
    enum { DIGITS = 10 };
    char pid[DIGITS + 1];
    int digits = snprintf(pid, sizeof pid, "%d", (int)getpid());
    return arena_format(arena, CHANNEL_ENV "=/proc/%.*s%s/fd/%d", DIGITS - digits, "//////////",
                        pid, fd);
}

/* The environment with the agent in it; all else in its order. */
static char **environment_with_agent(struct arena *arena, const struct launch *launch)
{
    size_t n = 0;
    while (environ[n])
        n++;
    char **copy = arena_alloc(arena, (n + 3) * sizeof *copy);
    const char *preload = NULL;
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        if (is_variable(environ[i], "LD_PRELOAD"))
            preload = strchr(environ[i], '=') + 1;
        else if (!is_variable(environ[i], CHANNEL_ENV))
            copy[used++] = environ[i];
    }
    bool more = preload && *preload;
    copy[used++] = arena_format(arena, "LD_PRELOAD=%s%s%s", preload_name(arena, launch->library),
                                more ? ":" : "", more ? preload : "");
    copy[used++] = channel_variable(arena, launch->channel_fd);
    return copy;
}

/* ---- start */

/* Waits for one byte: the parent is ready. The end of the pipe means that it is not, or is gone. */
_Noreturn static void child_exec(const struct launch *launch, char **environment,
                                 const struct signals *before, int report_fd, int go_fd)
{
    char go;
    struct signals own = *before;
    if (launch->held) { /* whoever traces it must not meet a signal before the program begins */
        sigfillset(&own.mask);
        sigprocmask(SIG_SETMASK, &own.mask, NULL);
    }
    if (launch->ready && read(go_fd, &go, 1) != 1)
        _exit(126);
    for (int i = 0; launch->stdio && i < 3; i++)
        if (launch->stdio[i] != i && dup2(launch->stdio[i], i) < 0)
            _exit(126);
    signals_give_back(&own);
    execvpe(launch->argv[0], launch->argv, environment);
    int why = errno;
    ssize_t written = write(report_fd, &why, sizeof why);
    _exit(written == sizeof why ? 127 : 126);
}

/* The errno of a failed exec; 0 when the pipe closed by itself, which is what success looks like.
 */
static int exec_outcome(int report_fd)
{
    int why = 0;
    ssize_t got;
    do
        got = read(report_fd, &why, sizeof why);
    while (got < 0 && errno == EINTR);
    return got == sizeof why ? why : 0;
}

static bool exec_failed(const struct launch *launch, pid_t pid, int why, struct err *err)
{
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    errno = why;
    return err_errno(err, "cannot run '%s'", launch->argv[0]);
}

/* False: it was not let go, and is gone. */
static bool child_go(const struct launch *launch, pid_t pid, int go_fd, struct err *err)
{
    if (!launch->ready)
        return true;
    if (launch->ready(launch->closure, pid, err))
        return write(go_fd, "", 1) == 1 || err_errno(err, "cannot let the program go");
    kill(pid, SIGKILL);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    return false;
}

bool launch_start(const struct launch *launch, struct child *ret_child, int *ret_exec_errno,
                  struct err *err)
{
    *ret_exec_errno = 0;
    int report[2], go[2];
    if (pipe2(report, O_CLOEXEC))
        return err_errno(err, "cannot create a pipe");
    AUTO(fd_close) int report_read = report[0];
    AUTO(fd_close) int report_write = report[1];
    if (pipe2(go, O_CLOEXEC))
        return err_errno(err, "cannot create a pipe");
    AUTO(fd_close) int go_read = go[0];
    AUTO(fd_close) int go_write = go[1];
    struct arena arena = {0};
    char **environment = launch->library ? environment_with_agent(&arena, launch) : environ;
    struct signals before;
    signals_take(&before);
    pid_t pid = fork();
    if (pid == 0) {
        close(go_write);
        child_exec(launch, environment, &before, report_write, go_read);
    }
    arena_release(&arena);
    if (pid < 0) {
        signals_give_back(&before);
        return err_errno(err, "cannot start a process");
    }
    close(report_write);
    report_write = -1;
    if (!child_go(launch, pid, go_write, err)) {
        signals_give_back(&before);
        return false;
    }
    int why = exec_outcome(report_read);
    if (why) {
        *ret_exec_errno = why;
        exec_failed(launch, pid, why, err);
        signals_give_back(&before);
        return false;
    }
    *ret_child = (struct child){.pid = pid};
    ret_child->ignores_interrupt = before.actions[CHANGED_INT].sa_handler == SIG_IGN;
    memcpy(&ret_child->mask, &before.mask, sizeof ret_child->mask);
    return true;
}

/* ---- wait */

static void child_reap(struct child *child)
{
    int status;
    struct rusage usage;
    if (!child->ended && wait4(child->pid, &status, WNOHANG, &usage) == child->pid) {
        child->ended = true;
        child->status = status;
        child->usage = usage;
    }
}

void launch_wait(struct child *child, uint64_t timeout_ns)
{
    sigset_t awaited;
    signals_awaited(&awaited);
    struct timespec timeout = {.tv_sec = (time_t)(timeout_ns / 1000000000u),
                               .tv_nsec = (long)(timeout_ns % 1000000000u)};
    siginfo_t info;
    int signal = sigtimedwait(&awaited, &info, &timeout);
    /* What the kernel sends for a terminal goes to the whole group: the program has it already. */
    if ((signal == SIGTERM || signal == SIGHUP) && info.si_code <= 0 && !child->ended)
        kill(child->pid, signal);
    child_reap(child);
}

/* ---- after it */

static void signals_hurrying(sigset_t *ret_set)
{
    sigemptyset(ret_set);
    sigaddset(ret_set, SIGINT);
    sigaddset(ret_set, SIGTERM);
    sigaddset(ret_set, SIGHUP);
}

void launch_listen(const struct child *child)
{
    sigset_t set;
    struct sigaction plain = {.sa_handler = SIG_DFL};
    signals_hurrying(&set);
    if (!child->ignores_interrupt && sigprocmask(SIG_BLOCK, &set, NULL) == 0)
        sigaction(SIGINT, &plain, NULL);
    while (launch_hurried())
        ;
}

bool launch_hurried(void)
{
    sigset_t set;
    struct timespec none = {0, 0};
    signals_hurrying(&set);
    return sigtimedwait(&set, NULL, &none) > 0;
}

/* ---- the program */

static bool executable(const char *path, bool named, int *why)
{
    struct stat status;
    if (stat(path, &status)) {
        /* A folder of PATH that cannot be searched is passed over, as shells do; one that the user
         * named is told. */
        if (named && errno != ENOENT && errno != ENOTDIR)
            *why = errno;
        return false;
    }
    if (S_ISREG(status.st_mode) && access(path, X_OK) == 0)
        return true;
    *why = EACCES;
    return false;
}

bool launch_find_program(const char *name, char ret_path[PATH_MAX], int *ret_exec_errno,
                         struct err *err)
{
    int why = ENOENT;
    bool found = false;
    if (strchr(name, '/')) {
        snprintf(ret_path, PATH_MAX, "%s", name);
        found = executable(name, true, &why);
    } else if (*name) {
        const char *path = getenv("PATH");
        for (const char *at = path ? path : "/bin:/usr/bin"; at && !found;) {
            size_t length = strcspn(at, ":");
            snprintf(ret_path, PATH_MAX, "%.*s%s%s", (int)length, at, length ? "/" : "./", name);
            found = executable(ret_path, false, &why);
            at = at[length] ? at + length + 1 : NULL;
        }
    }
    *ret_exec_errno = found ? 0 : why;
    errno = why;
    return found || err_errno(err, "cannot run '%s'", name);
}

/* ---- the library */

static bool readable(const char *path)
{
    return access(path, R_OK) == 0;
}

bool launch_find_library(char *ret_path, size_t room, struct err *err)
{
    char path[PATH_MAX], self[PATH_MAX];
    const char *given = getenv("GAIT_LIB");
    if (given && *given) {
        if (!realpath(given, path))
            return err_errno(err, "GAIT_LIB=%s", given);
        snprintf(ret_path, room, "%s", path);
        return true;
    }
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length < 0)
        return err_errno(err, "cannot find my own executable");
    self[length] = 0;
    *strrchr(self, '/') = 0;
    static const char *const places[] = {"libgait.so", "../lib/gait/libgait.so"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char place[PATH_MAX + 32];
        snprintf(place, sizeof place, "%s/%s", self, places[i]);
        if (realpath(place, path) && readable(path)) {
            snprintf(ret_path, room, "%s", path);
            return true;
        }
    }
    return err_set(err, ERR_MISSING,
                   "libgait.so is neither in %s nor in ../lib/gait of it, and GAIT_LIB is not set",
                   self);
}
