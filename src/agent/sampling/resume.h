/* Walks that go on after a system call that the program must make itself.
 *
 * A walk cannot make a call that waits: it has all signals blocked. If it ended there, code after
 * such calls would be in few walks, and code before them in many. So the thread returns to the call
 * with the trap flag set, and makes it natively, with its own mask and stack. The kernel clears the
 * flag for the call and for handlers of signals, and restores it at the end. SIGTRAP comes after
 * the first instruction that follows the call, and the sample goes on there.
 *
 * That instruction must be one that may run twice: it compares, tests or copies registers, as it
 * does in every libc; or neg %eax, which is undone. It is walked again, so that windows have no
 * gap. The program sees the flag only in the saved flags of a handler that interrupts the call, and
 * in %r11 there.
 *
 * A handler that the kernel enters by itself (no SA_SIGINFO) keeps the flag in its frame. It may
 * compute, be sampled, make calls of which one is waited for in the same way, fork, or never
 * return. So a trap is told by where it comes, and up to RESUME_PLACES calls may owe one: none may
 * reach the program, and the program's own single steps must. */
#pragma once

#include "agent/base/kernel.h"

#include <stdbool.h>
#include <stdint.h>

struct thread;

/* So many times in a sample at most. Of code that follows calls at a distance of less than an
 * eighth of a window, up to a sixteenth is missed. */
enum { RESUMES_MAX = 8 };

/* The walk has ended at context.pc. True: there is a call from which it can come back, and
 * thread.resume says how. */
bool resume_plan(struct thread *thread);
/* The thread's frame has the state to return to, which resume_plan has seen. */
void resume_begin(struct thread *thread);
/* A SIGTRAP after a single step. */
bool resume_stepped(int signal, const int32_t *siginfo, const struct kernel_ucontext *frame);
/* It came in this thread. True: it is that of a resume_begin, and the frame is the program's own
 * again. *ret_on: the sample still waits for it, and the thread stands after the call. No system
 * call: a filter may be in force by now. */
bool resume_end(struct thread *thread, struct kernel_ucontext *frame, bool *ret_on);
/* A handler of the program's is about to be given this frame, which must be the program's own. */
void resume_forget(struct thread *thread, struct kernel_ucontext *frame);
