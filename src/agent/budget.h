/* The budget governs: how long until the next sample, and how long a walk is, from what the last
 * ones really cost. */
#pragma once

#include <stdint.h>

/* What one sample took, in TSC ticks, and how many instructions of the program it executed on the
 * way: those would have run anyway, so they are not overhead. */
struct sample_cost {
    uint64_t handler_ticks;
    uint64_t instructions;
};

void budget_init(void);
void budget_spend(const struct sample_cost *cost);
/* CPU time until the next sample, drawn at random around the mean. */
uint64_t budget_next_ns(void);
/* How many exits a window may record to hold about the wanted number of instructions. */
uint32_t budget_window_exits(void);
