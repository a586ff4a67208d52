/* The program's signal actions in an exact run, and what the kernel has instead.
 *
 * The program's actions are kept in `agent.actions`, as it set them and as it reads them back. The
 * kernel has exact_entry for every signal that the program handles, and for faults and traps, which
 * a copy may cause. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The kernel delivers here (exact_signals.c). */
extern char exact_entry[];

/* Takes over the actions that the program has already; once, by its first thread. */
void exact_actions_begin(void);

static inline uint64_t exact_actions_bit(int signal)
{
    return UINT64_C(1) << (signal - 1);
}
/* Signals, as bits, that the agent never blocks: faults, and the trap of a step. */
uint64_t exact_actions_unblocked(void);
bool exact_actions_always_ours(int signal);

/* The program's rt_sigaction; result as the kernel's. */
long exact_actions_change(uint64_t signal, uint64_t set, uint64_t old, uint64_t mask_bytes);
/* That handler was for one delivery only; one that was set since stays. */
void exact_actions_reset(int signal, uint64_t handler);
/* During exec, which inherits them, the kernel itself ignores signals that the agent keeps but the
 * program ignores. */
void exact_actions_ignore(bool really);
/* The kernel has the program's actions again, of all signals or of SIGSYS alone. */
void exact_actions_give_back(bool all);
/* A child was created with CLONE_CLEAR_SIGHAND: the kernel has no handlers, and neither has the
 * program. */
void exact_actions_cleared(void);
