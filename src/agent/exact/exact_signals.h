/* Signals in an exact run: the program sees them as the kernel would have delivered them, between
 * two of its own instructions, and its handlers run on copies like the rest.
 *
 * The kernel delivers to the agent, on a stack of the agent's. What happens depends on where the
 * thread is. In translated code at the start of a program's instruction: delivered at once.
 * Elsewhere in it: single steps lead to the next such place, or out of it. In a system call that
 * was not made yet or will be restarted: delivered before it. In the dispatcher: held, with all
 * signals blocked, and delivered before translated code is entered. To deliver is to write the
 * frame that the kernel would have written, at the same place, and to go on at the handler. The
 * dispatcher does rt_sigreturn, from whatever the program made of the frame. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct thread;

/* Delivers the held signal, if there is one; then it does not return. */
void exact_signals_deliver(struct thread *thread);

/* The same as soon as possible, for a thread in the middle of a superblock. */
struct walk;
void exact_signals_put_off(struct walk *walk);

/* A fault or trap that the program raised natively, in a single step; `frame` holds its state.
 * Result as exact_decide's. `exit`: of the superblock that counted the instruction, or 0. */
struct kernel_ucontext;
uint64_t exact_signals_fault(struct thread *thread, int signal, uint8_t *siginfo,
                             struct kernel_ucontext *frame, uint32_t exit);
