/* Injected processes keep their own alternate stacks in the kernel, which may have room for one
 * frame only.
 *
 * So the agent's signal is blocked while one of their handlers with SA_ONSTACK runs: it is added to
 * the mask of their actions. There are no interposers, so the actions are checked before each
 * sample is armed; a handler set since then is not protected. */
#pragma once

#include "agent/base/kernel.h"

#include <stdbool.h>

struct thread;

/* Adds the agent's signal to the mask of all actions with SA_ONSTACK. */
void shelter_keep(void);
/* True if this fault only means that a sample did not fit on the alternate stack: the program must
 * not see it. At the same place again it is a fault of the program. */
bool shelter_refused(struct thread *thread, const int32_t *siginfo,
                     const struct kernel_ucontext *frame);
/* Removes it again, where the agent added it. */
void shelter_return(void);
