#include "cmd/top/top_subject.h"

#include "base/err.h"
#include "base/memory.h"
#include "base/quote.h"
#include "base/scope.h"
#include "collect/perf/proc.h"
#include "collect/plain/plain_rate.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* False: not a list of process ids. */
static bool pids_parse(const char *text, int *ret_pids, size_t *ret_n)
{
    size_t n = 0;
    for (const char *at = text; *at;) {
        char *end;
        long pid = strtol(at, &end, 10);
        if (end == at || pid <= 0 || pid > INT_MAX || (*end && *end != ',') || n == TOP_PIDS_MAX)
            return false;
        if (ret_pids)
            ret_pids[n] = (int)pid;
        n++;
        at = *end ? end + 1 : end;
    }
    *ret_n = n;
    return n;
}

bool top_subject_pids(struct top_subject *subject, const char *text, struct err *err)
{
    if (subject->typed)
        return err_set(err, ERR_USAGE, "-p is there twice: type one list, -p %s,%s", subject->typed,
                       text);
    subject->typed = text;
    return pids_parse(text, NULL, &subject->n_pids);
}

bool top_subject_check(const struct top_subject *subject, char *const *argv, struct err *err)
{
    if (subject->typed && (subject->all_cpus || *argv))
        return err_set(err, ERR_USAGE,
                       "-p watches processes that run already: neither -a nor a program goes with "
                       "it");
    if (subject->all_cpus && *argv)
        return err_set(err, ERR_USAGE, "-a watches the whole machine: no program goes with it");
    return true;
}

/* ---- processes of this user */

/* Ours, and open to us. */
static bool may_watch(int pid)
{
    char path[64], byte;
    struct stat status;
    snprintf(path, sizeof path, "/proc/%d/maps", pid);
    if (pid == getpid() || stat(path, &status) || status.st_uid != geteuid())
        return false;
    AUTO(fd_close) int fd = open(path, O_RDONLY | O_CLOEXEC);
    return fd >= 0 && read(fd, &byte, 1) == 1;
}

static void own_list(struct top_subject *subject, struct arena *arena)
{
    DIR *folder = opendir("/proc");
    subject->pids = arena_alloc(arena, TOP_PIDS_MAX * sizeof *subject->pids);
    subject->n_pids = 0;
    if (!folder)
        return;
    for (struct dirent *entry; (entry = readdir(folder)) && subject->n_pids < TOP_PIDS_MAX;) {
        int pid = atoi(entry->d_name);
        if (pid > 0 && may_watch(pid))
            subject->pids[subject->n_pids++] = pid;
    }
    closedir(folder);
}

/* ---- deciding */

static const char *process_text(const struct top_subject *subject, struct arena *arena)
{
    char name[16];
    if (subject->n_pids > 1)
        return arena_format(arena, "%zu processes", subject->n_pids);
    proc_read_name(subject->pids[0], subject->pids[0], name);
    return arena_format(arena, "process %d (%s)", subject->pids[0], name);
}

/* Whoever watches nginx means its workers, too. */
static void family_take(struct top_subject *subject)
{
    size_t named = subject->n_pids;
    for (size_t i = 0; i < named && subject->n_pids < TOP_PIDS_MAX; i++) {
        size_t room = TOP_PIDS_MAX - subject->n_pids;
        size_t n = proc_descendants(subject->pids[i], subject->pids + subject->n_pids, room);
        subject->n_pids += n < room ? n : room;
    }
}

static bool machine_settle(struct top_subject *subject, struct arena *arena, uint32_t overhead_ppm,
                           struct plain_rate *ret_rate, struct err *err)
{
    bool asked = subject->all_cpus;
    subject->all_cpus = true;
    subject->text = "all processes";
    subject->record = "-a --duration 10";
    if (plain_rate_find(ret_rate, true, overhead_ppm, err))
        return true;
    if (asked || !plain_rate_find(ret_rate, false, overhead_ppm, err))
        return false;
    subject->all_cpus = false;
    own_list(subject, arena);
    if (!subject->n_pids)
        return err_set(err, ERR_MISSING,
                       "the whole machine may not be watched, and no other process is yours; "
                       "name a program: gait top PROGRAM");
    subject->record = "-p PID --duration 10";
    subject->text = "your processes (the whole machine is not permitted: gait doctor)";
    return true;
}

bool top_subject_settle(struct top_subject *subject, char *const *argv, struct arena *arena,
                        uint32_t overhead_ppm, struct plain_rate *ret_rate, struct err *err)
{
    if (!subject->typed && !*argv)
        return machine_settle(subject, arena, overhead_ppm, ret_rate, err);
    if (subject->typed) {
        subject->pids = arena_alloc(arena, TOP_PIDS_MAX * sizeof *subject->pids);
        pids_parse(subject->typed, subject->pids, &subject->n_pids);
        family_take(subject);
        subject->text = process_text(subject, arena);
        subject->record = arena_format(arena, "-p %s --duration 10", subject->typed);
    } else {
        subject->text = quote_words(arena, argv);
        subject->record = arena_format(arena, "-- %s", subject->text);
    }
    return plain_rate_find(ret_rate, false, overhead_ppm, err);
}
