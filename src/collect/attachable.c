#include "collect/attachable.h"

#include "base/err.h"
#include "collect/loadable.h"
#include "collect/perf_record.h"
#include "collect/proc.h"
#include "collect/thread_state.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define INSTEAD "; gait record --plain -p %d samples it from outside"

/* ---- what it is made of */

static void mapping_look(void *closure, const struct perf_mapping *mapping)
{
    bool *held = closure;
    const char *name = strrchr(mapping->path, '/');
    if ((name && strcmp(name, "/libgait.so") == 0) ||
        strncmp(mapping->path, "/memfd:gait", strlen("/memfd:gait")) == 0)
        *held = true;
}

static bool same_file(const char *a, const char *b)
{
    struct stat of_a, of_b;
    return stat(a, &of_a) == 0 && stat(b, &of_b) == 0 && of_a.st_dev == of_b.st_dev &&
           of_a.st_ino == of_b.st_ino;
}

static bool file_check(int pid, struct err *err)
{
    char path[32], target[PATH_MAX];
    snprintf(path, sizeof path, "/proc/%d/exe", pid);
    if (readlink(path, target, sizeof target) < 0)
        return errno == ENOENT ? err_set(err, ERR_SYSTEM,
                                         "process %d is a thread of the kernel's: gait record -a "
                                         "sees what it does",
                                         pid)
                               : err_errno(err, "process %d", pid);
    if (same_file(path, "/proc/self/exe"))
        return err_set(err, ERR_USAGE, "process %d is gait: it cannot walk itself" INSTEAD, pid,
                       pid);
    if (loadable_is_foreign(path))
        return err_set(err, ERR_SYSTEM, "process %d is not for x86-64: it cannot be walked" INSTEAD,
                       pid, pid);
    bool held = false;
    proc_read_maps(pid, mapping_look, &held);
    return !held || err_set(err, ERR_USAGE,
                            "process %d has the agent in it already: another recording of it is "
                            "under way" INSTEAD,
                            pid, pid);
}

/* ---- what its threads are doing */

struct threads {
    int pid, traced_by;
    bool stopped, filtered, alive;
};

static void thread_look(void *closure, int tid)
{
    struct threads *threads = closure;
    struct thread_state state;
    if (!thread_state_read(threads->pid, tid, &state))
        return;
    if (state.traced_by)
        threads->traced_by = state.traced_by;
    threads->stopped |= state.doing == 'T';
    threads->filtered |= state.seccomp != 0;
    threads->alive |= state.doing != 'Z' && state.doing != 'X';
}

static bool threads_check(int pid, struct err *err)
{
    struct threads threads = {.pid = pid};
    proc_each_thread(pid, thread_look, &threads);
    if (!threads.alive)
        return err_set(err, ERR_SYSTEM, "process %d has ended; its parent has yet to be told", pid);
    if (threads.traced_by)
        return err_set(
            err, ERR_SYSTEM,
            "process %d is traced by process %d, and only one can: end that first" INSTEAD, pid,
            threads.traced_by, pid);
    if (threads.stopped)
        return err_set(err, ERR_SYSTEM, "process %d is stopped: kill -CONT %d lets it go on first",
                       pid, pid);
    return !threads.filtered ||
           err_set(err, ERR_SYSTEM,
                   "process %d filters its system calls (seccomp), and might be killed for those "
                   "of the agent" INSTEAD,
                   pid, pid);
}

/* A number of a thread is none of a process, though /proc has a folder of that name. */
static bool leader_check(int pid, struct err *err)
{
    char path[64], text[4096] = "";
    snprintf(path, sizeof path, "/proc/%d/status", pid);
    FILE *file = fopen(path, "re");
    if (!file)
        return err_set(err, ERR_SYSTEM, "there is no process %d", pid);
    size_t n = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[n] = 0;
    const char *line = strstr(text, "\nTgid:");
    int leader = line ? atoi(line + strlen("\nTgid:")) : 0;
    return leader == pid || leader == 0 ||
           err_set(err, ERR_USAGE, "%d is a thread of process %d: -p %d records all of it", pid,
                   leader, leader);
}

bool attachable_check(int pid, struct err *err)
{
    return leader_check(pid, err) && threads_check(pid, err) && file_check(pid, err);
}
