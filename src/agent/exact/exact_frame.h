/* The signal frame of a handler in an exact run, and the return from it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct held_signal;
struct kernel_ucontext;
struct thread;

/* Sets the signal mask; returns the old one. */
uint64_t exact_frame_mask(uint64_t mask);
/* Writes the frame that the kernel would have written, at the same place, and goes on at the
 * handler. `from` holds the program's state. Called with all signals blocked. */
__attribute__((noreturn)) void exact_frame_deliver(struct thread *thread,
                                                   const struct held_signal *held,
                                                   const struct kernel_ucontext *from);
/* The program's rt_sigreturn. False: not possible on copies. */
bool exact_frame_return(struct thread *thread);
