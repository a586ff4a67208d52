/* What /proc tells of one thread of another process: what it does now, and which signals wait for
 * it.
 *
 * Nothing of it holds the thread still: who needs more than a hint borrows it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct thread_state {
    char doing; /* R running, S asleep, D asleep and not to be woken, T stopped, t traced, Z dead */
    int leader; /* the process's number; its parent's */
    int parent;
    int traced_by;    /* tracer's pid, or 0 */
    int seccomp;      /* 0: no filter of system calls */
    int inner_tid;    /* in the innermost namespace: what the process itself calls the thread */
    uint64_t pending; /* signals sent to this thread; bit 0 is signal 1 */
    uint64_t blocked;
};

/* False: there is no such thread (any more). */
bool thread_state_read(int pid, int tid, struct thread_state *ret_state);
/* The number of the system call that a sleeping thread is in; -1: it is in none, or it is not told.
 */
long thread_state_call(int pid, int tid);
/* Where a thread that does not run stands in its program; false: it runs, or it is not told. */
bool thread_state_pc(int pid, int tid, uint64_t *ret_pc);
