/* Processes that the agent was put into have their own alternate stacks in the kernel, which may
 * have room for one frame only.
 *
 * So our signal is blocked while a handler of theirs with SA_ONSTACK runs: it is added to the mask
 * of their actions. There are no interposers, so actions are looked through before each sample is
 * armed; a handler set since then is met unprotected. */
#pragma once

#include "agent/base/kernel.h"

#include <stdbool.h>

struct thread;

/* Adds our signal to the mask of all actions with SA_ONSTACK. */
void shelter_keep(void);
/* Whether this fault is the kernel's word that a sample did not fit on the alternate stack, of
 * which nobody has to know. The same place again is a fault of the program's. */
bool shelter_refused(struct thread *thread, const int32_t *siginfo,
                     const struct kernel_ucontext *frame);
/* Takes it out again, where we added it. */
void shelter_return(void);
