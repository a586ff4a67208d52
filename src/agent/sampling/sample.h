/* One sample: walks the interrupted thread forward. */
#pragma once

#include <stdint.h>

struct thread;

/* Walks the thread from the state in its copied frame and leaves its new state there. A sample that
 * was suspended at a system call goes on. */
void sample_take(struct thread *thread);
/* The walk ended in a fault of the program: reports its window so far, and re-arms. The thread's
 * state is in the fault's own frame. */
void sample_abandon(struct thread *thread);
/* The interrupt cannot be walked; its time still counts at this pc; 0: nowhere. */
void sample_decline(struct thread *thread, uint64_t pc);
/* A sample that was suspended, if any, ends at its system call. */
void sample_settle(struct thread *thread);
