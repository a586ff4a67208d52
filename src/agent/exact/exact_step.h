/* Instructions without a copy, in exact runs: each is executed alone, in place, with the program's
 * own %gs, by a single step of the processor; then the run goes on after it.
 *
 * That works for everything that is refused (x86/insn.h) except restartable sequences, which the
 * kernel aborts at every signal and so at every step, system calls by int $0x80 that an exact run
 * must know of, and processes with a debugger. There the run leaves its copies for good. */
#pragma once

#include "agent/base/kernel.h"

#include <stdbool.h>

struct thread;

/* True if a walk that ended for this reason (enum loss) can go on after one step. */
bool exact_step_helps(uint32_t stop);
/* Executes the instruction at context.pc. True: the context is after it. False: it must not be
 * stepped, and nothing was done. Does not return if the instruction faults: then the program's
 * handler runs, or the program dies natively. `exit`: of the superblock that counted it, or 0. */
bool exact_step(struct thread *thread, uint32_t exit);
/* exact_decide asks this first: the thread is in a step, and the processor caused the signal.
 * Result as exact_decide's. */
uint64_t exact_step_ended(struct thread *thread, int signal, uint8_t *siginfo,
                          struct kernel_ucontext *frame);
