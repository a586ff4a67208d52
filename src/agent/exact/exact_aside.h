/* Signals that came too early, because the agent had unblocked them.
 *
 * While a signal is held or a thread steps, all signals are blocked except faults and traps, which
 * the agent itself may cause. One of these that was sent must not replace the held signal, and may
 * be blocked by the program. It is put aside, and sent again when the program's own mask is in
 * force. As in the kernel, at most one of each waits. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct thread;

/* True: it was put aside. */
bool exact_aside_put(struct thread *thread, int signal, const uint8_t *siginfo);
/* Sends again what was put aside. Called with the program's mask in force; unblocked ones come at
 * once. */
void exact_aside_return(struct thread *thread);
