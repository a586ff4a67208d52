/* What the program wants done with signals in an exact run, and what the kernel has instead.
 *
 * The program's actions are kept in `agent.actions`, as it set them and as it is told when it asks.
 * The kernel has exact_entry for every signal that the program handles, and for those that are
 * always ours: faults and traps, which may be of a copy's making. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Where the kernel delivers (exact_signals.c). */
extern char exact_entry[];

/* Takes over the actions that the program has already; once, by its first thread. */
void exact_actions_begin(void);

static inline uint64_t exact_actions_bit(int signal)
{
    return UINT64_C(1) << (signal - 1);
}
/* Signals, as bits, that are never blocked by us: they say that something has gone wrong, or that a
 * step was made. */
uint64_t exact_actions_unblocked(void);
bool exact_actions_always_ours(int signal);

/* The program's rt_sigaction; result as the kernel's. */
long exact_actions_change(uint64_t signal, uint64_t set, uint64_t old, uint64_t mask_bytes);
/* That handler was for one time only; another one, set since, stays. */
void exact_actions_reset(int signal, uint64_t handler);
/* Signals that are always ours but that the program ignores are ignored by the kernel itself while
 * it calls exec, which hands that on. */
void exact_actions_ignore(bool really);
