/* Signals of the program that arrive on a stack of the agent's (altstack.h), passed to its own
 * handlers.
 *
 * The kernel's frame is moved to the place where the kernel would have put it without the agent,
 * and then becomes the frame of a return to the handler's first instruction: one rt_sigreturn
 * switches stack, mask and registers at once, so nothing can come in between. */
#pragma once

#include "agent/base/kernel.h"

#include <stdbool.h>

struct thread;

/* The thread, if a signal that arrived with this frame must be moved; else NULL. In a process with
 * a Go runtime, handlers that ask for an alternate stack and never set one expect to run on the
 * agent's. */
struct thread *handover_due(const struct kernel_ucontext *frame,
                            const struct kernel_sigaction *action);
/* A signal that came while another was about to be handed over waits until that one's handler
 * begins. False: there is no other. */
bool handover_put_off(int signal, const int32_t *siginfo, struct kernel_ucontext *frame);
/* Moves the frame, which is on the stack lent to `thread`. The caller returns from its own handler;
 * then the program's runs, with this mask. */
void handover(struct thread *thread, int signal, const int32_t *siginfo,
              struct kernel_ucontext *frame, const struct kernel_sigaction *action, uint64_t mask);

/* The program's sigaction on a signal that the agent does not keep: a handler that may see its
 * frame, or asks for the alternate stack, is entered through the agent. False: let it through. */
bool handover_action(int signal, const struct kernel_sigaction *set,
                     struct kernel_sigaction *ret_old);
/* The same for handlers that were set before sampling began. */
void handover_begin(void);
/* Undoes it for the whole process. */
void handover_end(void);
