/* What samples cost: one of them, and the running means by which the budget sets the next. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The cost of one sample in TSC ticks, and the program's instructions that it executed: those would
 * have run anyway, so they are no overhead. */
struct sample_cost {
    uint64_t handler_ticks, instructions;
    uint64_t trail_ticks, trail_instructions; /* of that; 0: no trail */
    bool is_long;
    uint64_t copy_ticks; /* of that: translation of new code */
};

/* Running means of a thread's samples; a new thread begins with those of another. */
struct means {
    uint64_t entry_ticks; /* of the way into the handler */
    uint64_t cost_ticks;  /* of a sample: its trail, if any, and the rest */
    uint64_t trail_ticks, long_ticks, rest_ticks;
    uint64_t ticks_per_insn_q16; /* of the program, measured by trails */
    uint64_t insns_per_exit_q8;  /* of windows */
    uint64_t window;             /* instructions wanted in a window */
    uint64_t walks, long_trails;
    bool goes_further; /* the last walk had a further window */
};
