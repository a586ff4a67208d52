/* What /proc says of one thread of another process: what it does now, and its pending signals.
 *
 * The thread runs on meanwhile, so this is a hint. Borrow the thread to be sure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct thread_state {
    char doing; /* R running, S asleep, D asleep and not interruptible, T stopped, t traced, Z dead
                 */
    int leader; /* the process */
    int parent;
    int traced_by;    /* tracer's pid, or 0 */
    int seccomp;      /* 0: no filter of system calls */
    int inner_tid;    /* in the innermost namespace: the process's own number */
    uint64_t pending; /* signals of this thread; bit 0 is signal 1 */
    uint64_t blocked;
    uint64_t handled; /* by handlers of the process */
};

/* The text of a file in its folder of /proc, as much as there is room for. False: no such thread,
 * or not permitted. */
bool thread_text(int pid, int tid, const char *name, char *text, size_t room);
/* False: no such thread. */
bool thread_state_read(int pid, int tid, struct thread_state *ret_state);
/* The system call that a sleeping thread is in; -1: none, or not known. */
long thread_state_call(int pid, int tid);
/* The pc of a thread that does not run; false: it runs, or not known. */
bool thread_state_pc(int pid, int tid, uint64_t *ret_pc);
