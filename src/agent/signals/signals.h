/* The signals that we keep, and what the program believes of them. */
#pragma once

#include "agent/base/kernel.h"

#include <stdbool.h>

struct thread;

/* Sampling: takes over SIGSEGV, SIGBUS, SIGILL and SIGFPE, and the signal that samples come by. */
void signals_own(void);
/* The program's handler to jump to with the arguments that ours was given, after doing what the
 * kernel would have done; 0: just return. */
uint64_t signals_pass_on(int signal, const int32_t *siginfo, struct kernel_ucontext *frame);
/* The default action: gives the signal back to the kernel and lets it happen again, by the
 * instruction itself or, when somebody sent it, by us. */
void signals_die(int signal, bool sent);
/* SIGSEGV, SIGBUS, SIGILL and SIGFPE: what the agent itself may cause. */
uint64_t signals_faults(void);
/* The return address of handlers that unwinders know. */
uint64_t signals_restorer(void);

/* The signal of samples alone, to calibrate. */
void signals_own_samples(void);
/* Takes over again what the program has set by raw system calls. */
void signals_keep(void);
/* Gives them back; no thread may be about to get a signal of a trigger's. */
void signals_return(void);

/* The program's sigaction on a signal of ours: what it set before, and what it sets now. Either may
 * be NULL. False: the signal is not ours, let it through. */
bool signals_program_action(int signal, const struct kernel_sigaction *set,
                            struct kernel_sigaction *ret_old);
/* A signal mask that the program wants, without the signal that must stay unblocked. */
uint64_t signals_program_mask(uint64_t mask);

/* The thread is about to call exec, or that has failed: what is ignored and blocked is handed on.
 */
void signals_exec(bool begins);
