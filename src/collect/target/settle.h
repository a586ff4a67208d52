/* Waits until no thread of a process has to do with the agent any more, before the agent goes.
 *
 * Threads that sleep are not woken: where they are, and which signals wait for them, /proc tells.
 * Those that run are stopped for a moment and looked at. A thread that was seen clean stays so,
 * because nothing leads back. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;

enum { SETTLE_SCRATCH_BYTES = 24 };

/* Signals of triggers that are gone: none may be pending when the program's own action is back.
 * Those that wait behind a mask are taken away, with the help of SETTLE_SCRATCH_BYTES of the
 * process's memory. */
bool settle_signals(int pid, uint64_t scratch_at, struct err *err);
/* No thread executes anything in these bytes. */
bool settle_outside(int pid, uint64_t start, uint64_t bytes, struct err *err);
