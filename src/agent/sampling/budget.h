/* The budget: sets the time to the next sample and the length of a walk, from the cost of the last
 * ones. Each thread keeps its own, so what holds for each holds for all. */
#pragma once

#include "agent/base/means.h"

#include <stdbool.h>
#include <stdint.h>

struct thread;

/* Fills agent.means with first guesses. */
void budget_init(void);
/* The interrupt came so much later than its clock was set to: the cost of the way into the handler.
 */
void budget_entered(struct thread *thread, uint64_t late_ns);
/* The cost of an interrupt outside of the handler: the way in, the way out, and what the program
 * loses afterwards. */
uint64_t budget_interrupt_ticks(const struct thread *thread);
void budget_spend(struct thread *thread, const struct sample_cost *cost);
/* CPU time until the next sample, random around the mean. */
uint64_t budget_next_ns(struct thread *thread);
/* The same for a thread's first: uniform over the period. */
uint64_t budget_first_ns(struct thread *thread);
/* A trail of this sample measured the ticks per instruction, in 2^-16. */
void budget_timed(struct thread *thread, uint64_t ticks_per_insn_q16);

/* What the next sample has, by chance, as far as the budget allows. */
struct sample_parts budget_parts(struct thread *thread);
/* Whether a trail came to a system call before its end. */
void budget_trail_ended(struct thread *thread, bool at_call);
/* The exits a window may record to hold about the wanted number of instructions. */
uint32_t budget_window_exits(const struct thread *thread);
