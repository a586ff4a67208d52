/* Alternate signal stacks in an exact run: the kernel has ours, on which all signals come; the
 * program's own is kept in `thread->altstack`, and handlers run there whenever the kernel would
 * have had them run there. */
#pragma once

#include "agent/signals/kernel.h"

struct thread;

/* Has what the program set before the run began; once, by its first thread. */
void exact_altstack_begin(struct thread *thread);
/* A thread enters the exact run, or leaves it for good: whose stack the kernel has. */
void exact_altstack_enter(struct thread *thread);
void exact_altstack_leave(struct thread *thread);

/* The program's sigaltstack; result as the kernel's. */
long exact_altstack_change(struct thread *thread, uint64_t set, uint64_t old);
/* As the kernel would tell a program whose stack pointer is `sp`. */
struct kernel_altstack exact_altstack_seen(const struct thread *thread, uint64_t sp);
/* Where a handler that wants it begins; 0: there is none, or `sp` is on it already. */
uint64_t exact_altstack_top(const struct thread *thread, uint64_t sp);
/* What was set, or what a frame that the program returns by says; flags that only tell are left
 * out. */
void exact_altstack_set(struct thread *thread, const struct kernel_altstack *wanted);
/* A handler begins: a stack that is set for one delivery is gone, wherever that handler runs. */
void exact_altstack_left(struct thread *thread);
