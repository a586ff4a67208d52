/* Corrections of what an exact run has counted or traced. */
#pragma once

#include "walk/cache/cache.h"

struct thread;

/* A superblock was left in the middle, at this location, after all of it was counted. */
void exact_cut(struct thread *thread, const struct location *location);
/* Takes back the count of an instruction that did not run. `exit`: of the superblock that counted
 * it, or 0. */
void exact_undo(struct thread *thread, uint32_t exit);
/* Traces: writes what was recorded. The last exit went to end_pc, the thread goes on at next_pc.
 * False: nobody reads the trace any more. */
bool exact_pour(struct thread *thread, uint64_t end_pc, uint64_t next_pc);
