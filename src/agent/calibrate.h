/* What an interrupt costs before any walk. */
#pragma once

struct thread;

/* Fills channel.delivery_ticks and the first estimate of ticks_per_ms. By the trigger of the calling
 * thread. Takes about a millisecond. */
void calibrate(struct thread *thread);
