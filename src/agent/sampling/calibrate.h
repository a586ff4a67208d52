/* Measures what an interrupt costs without a walk. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct thread;

/* Whether another process has measured interrupts of this enum record_trigger. */
bool calibrate_known(uint32_t kind);

/* Fills channel.delivery_ticks, the cost of an interrupt with warm caches, and
 * agent.means.entry_ticks, its cost with cold ones. Uses the trigger of the calling thread; takes
 * about a millisecond. */
void calibrate(struct thread *thread);
