/* System calls that a sampled walk makes in the program's place, so that it goes on after them.
 *
 * A walk runs in a signal handler, with all signals blocked. So it makes a call only if all of this
 * holds; else the walk ends before the call, and the program makes it natively:
 *
 * 1. The call cannot wait for something that may never come: no signal would end the wait.
 * 2. It does not depend on the signals that are blocked, on the alternate stack, on %gs or on the
 *    place that it is called from.
 * 3. It starts no process or thread, ends none, and maps, unmaps or changes no code.
 * 4. A signal that it may send to its own thread (SIGPIPE, SIGXFSZ) ends the walk right after it,
 *    where the signal would have come natively.
 * 5. It is not one of the agent's own, in an interposer, unless it only asks: others arm triggers
 *    and change masks, and so does the end of a sample.
 *
 * Regular files qualify where their file system is local: there the kernel waits for the disk
 * without looking at signals, as it does natively. Pipes and sockets qualify where they are
 * non-blocking, others if there is nothing to wait for (call_try.h). Terminals never do: a blocked
 * SIGTTIN turns a stop into an error. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct walk;

/* For walk.syscall: makes the call at context.pc and moves pc to `next`, or leaves pc at the call.
 * False: the walk ends at context.pc. */
bool sample_call(struct walk *walk, uint64_t next);
