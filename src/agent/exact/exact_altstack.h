/* Alternate signal stacks in an exact run: the kernel has the agent's, on which all signals arrive.
 * The program's own is kept in `thread->altstack`, and its handlers run there when the kernel would
 * have run them there. */
#pragma once

#include "agent/base/kernel.h"

struct thread;

/* Reads what the program set before the run began; once, by its first thread. */
void exact_altstack_begin(struct thread *thread);
/* A thread enters the exact run, or leaves it for good: gives the kernel the right stack. */
void exact_altstack_enter(struct thread *thread);
void exact_altstack_leave(struct thread *thread);

/* The program's sigaltstack; result as the kernel's. */
long exact_altstack_change(struct thread *thread, uint64_t set, uint64_t old);
