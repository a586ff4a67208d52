/* Stops of a thread that this process traces (seized): which they are, and how to get from one to
 * another. The thread's own signals are passed on. */
#pragma once

#include <stdbool.h>

enum stop_kind {
    STOP_TRAP,   /* by PTRACE_INTERRUPT, or the first of a new thread */
    STOP_GROUP,  /* job control stopped the process: as good as a STOP_TRAP */
    STOP_CALL,   /* at the beginning or the end of a system call */
    STOP_CLONE,  /* it started a thread */
    STOP_EXEC,   /* it called exec */
    STOP_SIGNAL, /* a signal is about to be delivered */
};

struct stop {
    enum stop_kind kind;
    int signal;     /* STOP_SIGNAL: passed on when the thread is resumed */
    int new_thread; /* started on the way here, or 0 */
};

/* Waits for a running thread to stop like that, and resumes it from every other stop. False: it has
 * ended or, with errno ETIMEDOUT, did not stop in time. */
bool stop_await(int tid, enum stop_kind wanted, int timeout_ms, struct stop *ret_stop);
/* Waits for threads that ended while they were traced: nobody else does, and until then the parent
 * of their process does not learn of its end. Call it between uses of the above. `child`: the child
 * of this process, left alone. */
void stop_reap(int child);
/* Resumes a stopped thread by this ptrace request until it stops like that. False: it has ended. */
bool stop_next(int tid, int request, enum stop_kind wanted, struct stop *ret_stop);
