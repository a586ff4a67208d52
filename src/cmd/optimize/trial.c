#include "cmd/optimize/trial.h"

#include "base/err.h"
#include "base/memory.h"
#include "base/scope.h"
#include "cmd/interrupt.h"
#include "analysis/counts/estimate.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- one run */

/* In the child; what fails there is told by a status that no shell would give. */
enum { NOT_STARTED = 247 };

static void child_run(const struct trial *trial, const char *output, const char *errors)
{
    int in = open(trial->input, O_RDONLY | O_CLOEXEC);
    int err = open(errors, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    int out = output ? open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : err;
    if (in < 0 || out < 0 || err < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0)
        _exit(NOT_STARTED);
    execve(trial->path, trial->argv, trial->environment);
    _exit(NOT_STARTED);
}

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

bool trial_run(const struct trial *trial, const char *output, const char *errors,
               struct trial_result *ret_result, struct err *err)
{
    struct timespec begun, ended;
    struct rusage used;
    int status;
    clock_gettime(CLOCK_MONOTONIC, &begun);
    if (!interrupt_none(err))
        return false;
    pid_t child = interrupt_fork(trial->group);
    if (child < 0)
        return err_errno(err, "cannot start %s", trial->path);
    if (!child)
        child_run(trial, output, errors);
    while (wait4(child, &status, 0, &used) < 0)
        if (errno != EINTR)
            return err_errno(err, "cannot wait for %s", trial->path);
    interrupt_forget();
    if (!interrupt_none(err))
        return false;
    clock_gettime(CLOCK_MONOTONIC, &ended);
    if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_STARTED)
        return err_set(err, ERR_SYSTEM, "cannot run %s", trial->path);
    *ret_result = (struct trial_result){
        .status = status,
        .cpu = seconds(used.ru_utime) + seconds(used.ru_stime),
        .wall =
            (double)(ended.tv_sec - begun.tv_sec) + (double)(ended.tv_nsec - begun.tv_nsec) / 1e9,
    };
    return true;
}

/* ---- files */

bool files_equal(const char *a, const char *b)
{
    FILE *x = fopen(a, "re"), *y = fopen(b, "re");
    bool same = x && y;
    char left[4096], right[sizeof left];
    while (same) {
        size_t n = fread(left, 1, sizeof left, x);
        same = fread(right, 1, sizeof right, y) == n && memcmp(left, right, n) == 0;
        if (!n)
            break;
    }
    if (x)
        fclose(x);
    if (y)
        fclose(y);
    return same;
}

bool file_copy(const char *from, const char *to, struct err *err)
{
    struct stat status;
    AUTO(fd_close) int in = open(from, O_RDONLY | O_CLOEXEC);
    if (in < 0 || fstat(in, &status) < 0)
        return err_errno(err, "cannot read %s", from);
    AUTO(fd_close)
    int out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, status.st_mode & 0777);
    if (out < 0)
        return err_errno(err, "cannot write %s", to);
    for (off_t at = 0; at < status.st_size;)
        if (sendfile(out, in, &at, (size_t)(status.st_size - at)) <= 0)
            return err_errno(err, "cannot write %s", to);
    const struct timespec times[] = {status.st_atim, status.st_mtim};
    futimens(out, times); /* so that make does not take a copy for newer than it is */
    return true;
}

enum { TAIL_BYTES = 400, TAIL_LINES = 4 };

const char *file_tail(struct arena *arena, const char *path)
{
    char text[TAIL_BYTES + 1];
    FILE *file = fopen(path, "re");
    if (!file)
        return "";
    if (fseek(file, -TAIL_BYTES, SEEK_END) != 0)
        rewind(file);
    size_t n = fread(text, 1, TAIL_BYTES, file);
    fclose(file);
    while (n && text[n - 1] == '\n')
        n--;
    text[n] = 0;
    size_t from = n;
    for (int lines = TAIL_LINES; from && (text[from - 1] != '\n' || --lines);)
        from--;
    const char *complaint =
        strcasestr(text + from, "error"); /* its line and what follows says enough */
    while (complaint && complaint > text + from && complaint[-1] != '\n')
        complaint--;
    if (complaint)
        from = (size_t)(complaint - text);
    for (char *at = text + from; *at; at++)
        if ((unsigned char)*at < ' ')
            *at = *at == '\n' ? '|' : '?';
    return text[from] ? arena_string(arena, text + from) : "it said nothing";
}

const char *status_text(struct arena *arena, int status)
{
    return WIFSIGNALED(status) ? arena_format(arena, "signal %d", WTERMSIG(status))
                               : arena_format(arena, "status %d", WEXITSTATUS(status));
}

/* ---- gain */

struct gain gain_of(const double *before, const double *after, unsigned n)
{
    struct gain gain = {.n = n, .lo = -INFINITY, .hi = INFINITY};
    double squares = 0;
    for (unsigned i = 0; i < n; i++) {
        gain.before += log(before[i]) / n;
        gain.after += log(after[i]) / n;
    }
    gain.value = gain.before - gain.after;
    for (unsigned i = 0; i < n; i++) {
        double off = log(before[i] / after[i]) - gain.value;
        squares += off * off;
    }
    gain.before = exp(gain.before);
    gain.after = exp(gain.after);
    if (n > 1) {
        double half = student_t(n - 1) * sqrt(squares / (n - 1) / n);
        gain.lo = gain.value - half;
        gain.hi = gain.value + half;
    }
    return gain;
}
