/* The exact run: the main thread taken over for good, every block and edge counted. */
#pragma once

#include "walk/cache.h"

struct thread;

/* Returns to its caller in the code cache: from there on the thread runs on copies. */
void exact_take_over(struct thread *thread);
/* The run was left in the middle of a superblock, at this place. */
void exact_cut(struct thread *thread, const struct location *location);
