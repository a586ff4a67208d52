/* The frame that a handler of the program's finds on its stack in an exact run, and the way back
 * from it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct held_signal;
struct kernel_ucontext;
struct thread;

/* Puts a mask of signals in force; returns the one before. */
uint64_t exact_frame_mask(uint64_t mask);
/* Writes the frame that the kernel would have written, where it would have been, and goes on at the
 * handler. `from` holds the program's state. Called with all signals blocked. */
__attribute__((noreturn)) void exact_frame_deliver(struct thread *thread,
                                                   const struct held_signal *held,
                                                   const struct kernel_ucontext *from);
/* The program's rt_sigreturn. False: it cannot be done on copies. */
bool exact_frame_return(struct thread *thread);
