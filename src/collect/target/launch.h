/* Starts the program to record, as it would start natively but for two environment variables.
 *
 * Signal mask, dispositions and descriptors are what gait itself was given. Meanwhile gait keeps
 * out of the way of the terminal: SIGINT and SIGQUIT reach the program by its process group and
 * are ignored here, so that the recording is finished; SIGTERM and SIGHUP sent to gait alone are
 * passed on. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

struct err;

struct launch {
    char *const *argv;   /* ends with NULL */
    const char *library; /* libgait.so, or NULL: no agent */
    int channel_fd;      /* the memfd, close-on-exec */
    /* Called with the new process before it becomes the program; may be NULL. False: it never will.
     */
    bool (*ready)(void *closure, pid_t pid, struct err *err);
    void *closure;
    bool held; /* all signals are blocked until somebody puts child.mask in force */
};

struct child {
    pid_t pid;
    uint64_t mask;          /* of signals, that the program shall have; bit 0 is signal 1 */
    bool ignores_interrupt; /* SIGINT was ignored before, as by nohup */
    bool ended;
    int status; /* as waitpid gives it, once ended */
    struct rusage usage;
};

/* On failure *ret_exec_errno says why exec was refused, or is 0 if it was not exec that failed.
 * From here on this process's signals are set as described above. */
bool launch_start(const struct launch *launch, struct child *ret_child, int *ret_exec_errno,
                  struct err *err);

/* Sleeps until the child changed state, a signal came, or the time is over. Passes signals on. */
void launch_wait(struct child *child, uint64_t timeout_ns);

/* The program has ended, and what it left takes long: from here on SIGINT is for this process. What
 * came before is forgotten. */
void launch_listen(const struct child *child);
/* Whether a signal came since that asks it to end. */
bool launch_hurried(void);

/* Whether there is such a program to execute, looked for as exec would; nothing is started. */
bool launch_find_program(const char *name, char ret_path[PATH_MAX], int *ret_exec_errno,
                         struct err *err);
/* Where libgait.so is: $GAIT_LIB, beside the executable, or in ../lib/gait of it. */
bool launch_find_library(char *ret_path, size_t room, struct err *err);
