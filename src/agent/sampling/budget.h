/* The budget governs: how long until the next sample, and how long a walk is, from what the last
 * ones really cost. Each thread governs itself, so that what is true of each is true of all. */
#pragma once

#include "agent/base/means.h"

#include <stdbool.h>
#include <stdint.h>

struct thread;

/* Fills agent.means with first guesses. */
void budget_init(void);
/* The interrupt came so much later than its clock was set to: what the way into the handler took.
 */
void budget_entered(struct thread *thread, uint64_t late_ns);
/* What an interrupt takes beside the handler: the way in, the way out, and what the program loses
 * afterwards. */
uint64_t budget_interrupt_ticks(const struct thread *thread);
void budget_spend(struct thread *thread, const struct sample_cost *cost);
/* CPU time until the next sample, drawn at random around the mean. */
uint64_t budget_next_ns(struct thread *thread);
/* The same for a thread's first: any moment of a period is as likely as any other. */
uint64_t budget_first_ns(struct thread *thread);
/* A trail of this sample told how many ticks an instruction takes, 2^-16. */
void budget_timed(struct thread *thread, uint64_t ticks_per_insn_q16);
/* How many instructions the trail of this walk is to have: as many walks get one as cost little
 * beside the rest, and a few a long one. 0: none. */
uint32_t budget_trail(struct thread *thread, bool *ret_long);
/* How many exits a window may record to hold about the wanted number of instructions. */
uint32_t budget_window_exits(const struct thread *thread);
