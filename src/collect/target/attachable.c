#include "collect/target/attachable.h"

#include "base/err.h"
#include "base/scope.h"
#include "collect/target/loadable.h"
#include "collect/perf/proc.h"
#include "collect/target/thread_state.h"
#include "wire/channel.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define INSTEAD "; gait record --plain -p %d samples it from outside"

/* ---- what it is made of */

/* The channel is mapped by all agents, however they came. */
static bool has_agent(int pid)
{
    char path[32], *line = NULL;
    size_t room = 0;
    bool found = false;
    snprintf(path, sizeof path, "/proc/%d/maps", pid);
    FILE *file = fopen(path, "re");
    while (file && !found && getline(&line, &room, file) > 0)
        found = strstr(line, " /memfd:" CHANNEL_NAME " ");
    if (file)
        fclose(file);
    free(line);
    return found;
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
    return !has_agent(pid) ||
           err_set(err, ERR_USAGE,
                   "process %d has the agent in it already: another recording of it, or "
                   "of who started it, is under way or was killed" INSTEAD,
                   pid, pid);
}

/* ---- what its threads are doing */

struct threads {
    int pid, traced_by;
    bool stopped, filtered, alive, headless;
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
    bool dead = state.doing == 'Z' || state.doing == 'X';
    threads->alive |= !dead;
    threads->headless |= dead && tid == threads->pid;
}

static bool threads_check(int pid, struct err *err)
{
    struct threads threads = {.pid = pid};
    proc_each_thread(pid, thread_look, &threads);
    if (!threads.alive)
        return err_set(err, ERR_SYSTEM, "process %d has ended; its parent has yet to be told", pid);
    if (threads.headless)
        return err_set(err, ERR_SYSTEM,
                       "the main thread of process %d has ended, and the others cannot be reached "
                       "without" INSTEAD,
                       pid, pid);
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
    struct thread_state state;
    if (!thread_state_read(pid, pid, &state))
        return err_set(err, ERR_SYSTEM, "there is no process %d", pid);
    return state.leader == pid ||
           err_set(err, ERR_USAGE, "%d is a thread of process %d: -p %d records all of it", pid,
                   state.leader, state.leader);
}

/* ---- whose it is */

static long yama_scope(void)
{
    char text[16] = "";
    AUTO(fd_close) int fd = open("/proc/sys/kernel/yama/ptrace_scope", O_RDONLY | O_CLOEXEC);
    return fd < 0 || read(fd, text, sizeof text - 1) <= 0 ? 0 : strtol(text, NULL, 10);
}

/* Reading another process's memory takes the same right as tracing it, and nothing else. */
static bool owner_check(int pid, struct err *err)
{
    char path[32], byte;
    struct stat status;
    struct iovec near = {&byte, 1}, far = {NULL, 1};
    if (process_vm_readv(pid, &near, 1, &far, 1, 0) >= 0 || errno != EPERM)
        return true;
    snprintf(path, sizeof path, "/proc/%d", pid);
    if (stat(path, &status) == 0 && status.st_uid != geteuid())
        return err_set(err, ERR_SYSTEM,
                       "process %d belongs to another user, or has rights that this one has not: "
                       "sudo gait record -p %d",
                       pid, pid);
    if (geteuid() == 0)
        return err_set(
            err, ERR_SYSTEM,
            "process %d may not be traced, not even by root: CAP_SYS_PTRACE is missing, or "
            "a security module forbids it" INSTEAD,
            pid, pid);
    return err_set(err, ERR_SYSTEM, "process %d may not be traced%s: sudo gait record -p %d%s", pid,
                   yama_scope() ? " (kernel.yama.ptrace_scope)" : "", pid,
                   yama_scope() ? ", or sudo sysctl kernel.yama.ptrace_scope=0" : "");
}

bool attachable_check(int pid, struct err *err)
{
    return leader_check(pid, err) && threads_check(pid, err) && owner_check(pid, err) &&
           file_check(pid, err);
}
