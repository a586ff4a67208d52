/* SIGTRAP as the program sees it. While threads are sampled it is never blocked for the kernel; the
 * program's view is kept, and a signal that must wait waits. */
#pragma once

#include "agent/base/kernel.h"

#include <stdbool.h>

struct thread;

/* Before the calling thread is sampled: unblocks SIGTRAP if it started with it blocked. */
void trap_begin(struct thread *thread);
/* For the calling thread: is it blocked, is one pending? Unblocking delivers the pending one. */
bool trap_blocked(void);
bool trap_pending(void);
void trap_block(bool blocked);
/* While the thread waits for signals, or asks the kernel for them: what it blocks is really
 * blocked. */
void trap_wait(bool begins);
bool trap_really(void);

/* A trap that is not the agent's; as signals_pass_on. */
uint64_t trap_pass_on(int signal, const int32_t *siginfo, struct kernel_ucontext *frame);
