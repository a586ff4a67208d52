/* The signals that we keep, and what the program believes of them. */
#pragma once

#include "agent/kernel.h"

#include <stdbool.h>

/* Takes over SIGSEGV, SIGBUS, SIGILL and SIGFPE, and SIGTRAP when sampling. */
void signals_own(bool sampling);

/* Takes over again what the program has set by raw system calls. */
void signals_keep(void);
/* Gives them back; no thread may be about to get a signal of a trigger's. */
void signals_return(void);

/* The program's sigaction on a signal of ours: what it set before, and what it sets now. Either may be
 * NULL. False: the signal is not ours, let it through. */
bool signals_program_action(int signal, const struct kernel_sigaction *set,
                            struct kernel_sigaction *ret_old);
/* A signal mask that the program wants, without the signal that must stay unblocked. */
uint64_t signals_program_mask(uint64_t mask);
