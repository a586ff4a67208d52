/* What an interrupt costs before any walk. */
#pragma once

struct thread;

/* Fills channel.delivery_ticks, which is what an interrupt takes with warm caches, and
 * agent.means.entry_ticks: what it takes when they are full of other things. By the trigger of the
 * calling thread. Takes about a millisecond. */
void calibrate(struct thread *thread);
