/* SIGTRAP as the program sees it: while threads are sampled it is never really blocked, but what
 * the program believes of it is kept, and one that must wait waits. */
#pragma once

#include "agent/base/kernel.h"

#include <stdbool.h>

struct thread;

/* The calling thread is about to be sampled: if it was born with SIGTRAP blocked, it no longer
 * really is. */
void trap_begin(struct thread *thread);
/* For the calling thread: whether it has it blocked, and whether one waits. To unblock it lets that
 * one come. */
bool trap_blocked(void);
bool trap_pending(void);
void trap_block(bool blocked);
/* For as long as the thread waits for signals, or asks the kernel for them: what it has blocked
 * really is. */
void trap_wait(bool begins);
bool trap_really(void);

/* A trap that is not ours; as signals_pass_on. */
uint64_t trap_pass_on(int signal, const int32_t *siginfo, struct kernel_ucontext *frame);
