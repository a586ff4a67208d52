/* Starts the program to record as it would start natively, except for two environment variables.
 *
 * It gets the signal mask, dispositions and descriptors that gait was given. SIGINT and SIGQUIT
 * from the terminal reach the program by its process group; gait ignores them, so that the
 * recording is finished. gait passes SIGTERM and SIGHUP on. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

struct err;

struct launch {
    char *const *argv;   /* ends with NULL */
    const char *library; /* libgait.so; NULL: no agent */
    int channel_fd;      /* the memfd, close-on-exec */
    const int *stdio;    /* its descriptors 0 to 2; NULL: gait's own */
    /* Called with the new process before its exec; may be NULL. False: it will not exec. */
    bool (*ready)(void *closure, pid_t pid, struct err *err);
    void *closure;
    bool held; /* all signals stay blocked until child.mask is set */
};

struct child {
    pid_t pid;
    uint64_t mask;          /* the program's signal mask; bit 0 is signal 1 */
    bool ignores_interrupt; /* SIGINT was ignored before, as by nohup */
    bool ended;
    int status; /* as of waitpid, once ended */
    struct rusage usage;
};

/* On failure *ret_exec_errno is the errno of exec; 0: something else failed. From here on the
 * signals of this process are set as described above. */
bool launch_start(const struct launch *launch, struct child *ret_child, int *ret_exec_errno,
                  struct err *err);

/* Sleeps until the child changes state, a signal comes, or the time is over. Passes signals on. */
void launch_wait(struct child *child, uint64_t timeout_ns);

/* The program has ended, and reading its data takes long: from here on SIGINT is for this process.
 * Earlier signals are forgotten. */
void launch_listen(const struct child *child);
/* Whether a signal came since that asks gait to end. */
bool launch_hurried(void);

/* Finds the program as exec would; starts nothing. */
bool launch_find_program(const char *name, char ret_path[PATH_MAX], int *ret_exec_errno,
                         struct err *err);
/* Finds libgait.so: $GAIT_LIB, beside the executable, or in ../lib/gait of it. */
bool launch_find_library(char *ret_path, size_t room, struct err *err);
