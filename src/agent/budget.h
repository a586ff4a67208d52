/* The budget governs: how long until the next sample, and how long a walk is, from what the last
 * ones really cost. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* What one sample took, in TSC ticks, and how many instructions of the program it executed on the
 * way: those would have run anyway, so they are not overhead. */
struct sample_cost {
    uint64_t handler_ticks, instructions;
    uint64_t trail_ticks, trail_instructions; /* of that; 0: this sample had no trail */
};

void budget_init(void);
void budget_spend(const struct sample_cost *cost);
/* CPU time until the next sample, drawn at random around the mean. */
uint64_t budget_next_ns(void);
/* Whether this walk gets a trail: as many as cost little beside the rest. */
bool budget_wants_trail(void);
/* How many exits a window may record to hold about the wanted number of instructions. */
uint32_t budget_window_exits(void);
