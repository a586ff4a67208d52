/* The signals that the agent keeps, and what the program believes of them. */
#pragma once

#include "agent/base/kernel.h"

#include <stdbool.h>

struct thread;

/* Sampling: takes over SIGSEGV, SIGBUS, SIGILL and SIGFPE, and the signal of samples. */
void signals_own(void);
/* The program's handler to jump to with the arguments of the agent's, after doing what the kernel
 * would have done; 0: just return. */
uint64_t signals_pass_on(int signal, const int32_t *siginfo, struct kernel_ucontext *frame);
/* The default action: gives the signal back to the kernel and lets it happen again, by the
 * instruction itself or, if it was sent, by sending it. */
void signals_die(int signal, bool sent);
/* SIGSEGV, SIGBUS, SIGILL and SIGFPE: what the agent itself may cause. */
uint64_t signals_faults(void);
/* The restorer, a return address for handlers that unwinders know. */
uint64_t signals_restorer(void);

/* Takes over the signal of samples only, to calibrate. */
void signals_own_samples(void);
/* Takes over again what the program has set by raw system calls. */
void signals_keep(void);
/* Gives them back; no signal of a trigger may be pending. */
void signals_return(void);

/* The program's sigaction on a signal that the agent keeps: what it set before, and sets now.
 * Either may be NULL. False: not kept, let it through. */
bool signals_program_action(int signal, const struct kernel_sigaction *set,
                            struct kernel_sigaction *ret_old);
/* A signal mask that the program wants, without the signal that must stay unblocked. */
uint64_t signals_program_mask(uint64_t mask);

/* The thread is about to call exec, or exec failed: what is ignored and blocked is inherited. */
void signals_exec(bool begins);
