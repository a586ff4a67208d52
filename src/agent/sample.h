/* One sample: the interrupted thread walked forward. */
#pragma once

#include <stdint.h>

/* Walks the thread whose frame is agent.frame and leaves its new state there. */
void sample_take(void);
/* The walk ended in a fault of the program's: reports what its window had, and re-arms. The thread's
 * state is in the fault's own frame. */
void sample_abandon(void);
/* The interrupt cannot be walked; its time still counts at this pc; 0: at none. */
void sample_decline(uint64_t pc);
