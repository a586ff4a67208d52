/* The budget governs: how long until the next sample, and how long a walk is, from what the last
 * ones really cost. Each thread governs itself, so that what is true of each is true of all. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct thread;

/* What one sample took, in TSC ticks, and how many instructions of the program it executed on the
 * way: those would have run anyway, so they are not overhead. */
struct sample_cost {
    uint64_t handler_ticks, instructions;
    uint64_t trail_ticks, trail_instructions; /* of that; 0: this sample had no trail */
    bool is_long;
    uint64_t copy_ticks; /* of that: making copies of code that was new */
};

/* Running means of a thread's samples; a new thread begins with those of another. */
struct means {
    uint64_t entry_ticks; /* an interrupt's way into the handler */
    uint64_t cost_ticks;  /* of a sample: its trail, when it has one, and the rest */
    uint64_t trail_ticks, long_ticks, rest_ticks;
    uint64_t ticks_per_insn_q16; /* of the program, as trails tell it */
    uint64_t insns_per_exit_q8;  /* of windows */
    uint64_t window;             /* instructions wanted in one */
    uint64_t walks, long_trails;
    bool goes_further; /* the last walk had another window */
};

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
