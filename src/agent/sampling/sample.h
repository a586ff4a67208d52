/* One sample: the interrupted thread walked forward. */
#pragma once

#include <stdint.h>

struct thread;

/* Walks the thread from the state in its copied frame and leaves its new state there. */
void sample_take(struct thread *thread);
/* The walk ended in a fault of the program's: reports what its window had, and re-arms. The
 * thread's state is in the fault's own frame. */
void sample_abandon(struct thread *thread);
/* The interrupt cannot be walked; its time still counts at this pc; 0: at none. */
void sample_decline(struct thread *thread, uint64_t pc);
