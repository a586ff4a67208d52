/* Signals that came too early, because we had unblocked them.
 *
 * While a signal is held or a thread steps, all signals are blocked but those of faults and traps,
 * which may be of our own making. One of these that somebody sent must not take the place of the
 * signal in hand, and may be blocked by the program. It is put aside, and sent again when the
 * program's own mask is in force. As with the kernel, one of each waits at most. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct thread;

/* True: it was put aside. */
bool exact_aside_put(struct thread *thread, int signal, const uint8_t *siginfo);
/* Sends again what was put aside. Called with the program's mask in force; what it does not block
 * comes at once. */
void exact_aside_return(struct thread *thread);
