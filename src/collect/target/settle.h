/* Waits until no thread of a process uses the agent any more, before it is removed.
 *
 * Sleeping threads are not woken: /proc shows where they are, and their pending signals. Running
 * threads are stopped for a moment and examined. A thread that was found clean stays clean, because
 * nothing leads back. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;

enum { SETTLE_SCRATCH_BYTES = 24 };

/* No signal of a removed trigger may be pending when the program's own action is restored. Blocked
 * ones are taken, with the help of SETTLE_SCRATCH_BYTES of the process's memory. */
bool settle_signals(int pid, uint64_t scratch_at, struct err *err);
/* Waits until no thread executes anything in these bytes. */
bool settle_outside(int pid, uint64_t start, uint64_t bytes, struct err *err);
