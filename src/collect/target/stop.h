/* The stops of a thread that this process traces, seized: which they are, and how to get from one
 * to another with the thread's own signals passed on. */
#pragma once

#include <stdbool.h>

enum stop_kind {
    STOP_TRAP,   /* asked for by PTRACE_INTERRUPT, or the first of a new thread */
    STOP_GROUP,  /* job control stopped the process: as good as a STOP_TRAP */
    STOP_CALL,   /* at the beginning or the end of a system call */
    STOP_CLONE,  /* it started a thread */
    STOP_EXEC,   /* it has become another program */
    STOP_SIGNAL, /* a signal is about to be delivered */
};

struct stop {
    enum stop_kind kind;
    int signal;     /* STOP_SIGNAL: to be passed on when it is resumed */
    int new_thread; /* that it started on the way here, or 0 */
};

/* Waits for a running thread to stop so; lets it go on from every other stop. False: it is gone,
 * or, with an errno of ETIMEDOUT, did not stop in time. */
bool stop_await(int tid, enum stop_kind wanted, int timeout_ms, struct stop *ret_stop);
/* Threads that ended while they were traced, or were about to be let go, are waited for by nobody
 * else; and until they have been, the end of their process is not told to its parent. For whoever
 * waits, between his uses of the above. The child that this process started is left alone. */
void stop_reap(int child);
/* Lets a stopped thread go on by this request of ptrace until it stops so. False: it is gone. */
bool stop_next(int tid, int request, enum stop_kind wanted, struct stop *ret_stop);
