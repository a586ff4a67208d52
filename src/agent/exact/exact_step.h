/* Instructions that have no copy, in exact runs: each is executed alone, where it stands, with the
 * program's own %gs, by a single step of the processor; then the run goes on behind it.
 *
 * That holds for all that is refused (x86/insn.h) but what cannot be stepped: restartable
 * sequences, which the kernel aborts at every signal and so at every step, system calls by int
 * $0x80 that change what an exact run must know of, and whatever a debugger watches. There the run
 * leaves its copies for good. */
#pragma once

#include "agent/base/kernel.h"

#include <stdbool.h>

struct thread;

/* Whether a walk that ended for this reason (enum loss) can go on behind one step. */
bool exact_step_helps(uint32_t stop);
/* Executes the instruction at context.pc. True: the context is behind it. False: it must not be
 * stepped, and nothing was done. Does not return when the instruction faults: then the program's
 * handler is under way, or the program runs natively to its death. `exit`: of the superblock that
 * counted it, or 0. */
bool exact_step(struct thread *thread, uint32_t exit);
/* What exact_decide asks first: the thread is in a step, and the signal is of the processor's
 * making. Result as exact_decide's. */
uint64_t exact_step_ended(struct thread *thread, int signal, uint8_t *siginfo,
                          struct kernel_ucontext *frame);
