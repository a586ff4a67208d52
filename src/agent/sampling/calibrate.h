/* Measures what an interrupt costs without a walk. */
#pragma once

struct thread;

/* Fills channel.delivery_ticks, the cost of an interrupt with warm caches, and
 * agent.means.entry_ticks, its cost with cold ones. Uses the trigger of the calling thread; takes
 * about a millisecond. */
void calibrate(struct thread *thread);
