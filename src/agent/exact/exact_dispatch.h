/* Threads that have their system calls dispatched to themselves (PR_SET_SYSCALL_USER_DISPATCH, as
 * Wine does): a byte says whether a call is made, or becomes a SIGSYS of the thread.
 *
 * While such a thread walks, the kernel does not know: its SIGSYS would come for the agent's calls,
 * too. The agent makes the thread's calls, so it looks at the byte, and sends the signal.
 *
 * A thread that leaves the run has the kernel do it from then on. Its faults and traps still come
 * by the agent while others walk, and whatever the agent called then would be dispatched. Such
 * threads are known by %fs, which takes no call to read: calls are let through, by that byte, for
 * as long as the agent takes to pass a signal on. */
#pragma once

#include "agent/base/frame.h"

#include <stdbool.h>
#include <stdint.h>

struct thread;

/* The program's prctl, in the context: its result. */
long exact_dispatch_change(struct thread *thread);
/* What comes of a call of the thread. */
enum dispatch {
    DISPATCH_MADE,   /* the kernel makes it */
    DISPATCH_SIGNAL, /* it becomes a SIGSYS */
    DISPATCH_NATIVE, /* only the kernel can: it kills the thread, or the signal is not ours */
};
/* The call behind which is `next`. */
enum dispatch exact_dispatch_judge(const struct thread *thread, uint64_t next);
/* The SIGSYS of the call that is in the context, behind which pc is. It is held when this is over.
 */
void exact_dispatch_send(const struct thread *thread);

/* The thread has left the run, and is about to go on natively: the kernel dispatches its calls. */
void exact_dispatch_begin(const struct thread *thread);
/* This thread is new, whoever had its %fs before. */
void exact_dispatch_forget(void);
/* False: it is another thread. Else the signal is passed on; *ret_to is the handler to jump to. */
bool exact_dispatch_pass(int signal, const uint8_t *siginfo, struct kernel_ucontext *frame,
                         uint64_t *ret_to);
