/* The counters that trails increment: one set for the process, in the channel.
 *
 * A thread's context shows them at the place where copies count. Copies count without a lock, so
 * one thread at a time has them; others have no trail meanwhile. */
#pragma once

#include <stdbool.h>

struct thread;

/* False: another thread has the counters, or they cannot be mapped. */
bool tally_claim(struct thread *thread);
/* What copies count from now on is lost, and another thread may have the counters. False: it cannot
 * be mapped. */
bool tally_discard(struct thread *thread);
/* Does nothing if the thread does not have them. */
void tally_leave(struct thread *thread);
