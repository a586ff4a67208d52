/* What recording cost, measured by gait itself. */
#pragma once

#include <stdbool.h>

struct totals;

struct cost {
    bool known; /* false: the agent's measure is not below the CPU time, so shares would say nothing
                 */
    double alone;       /* seconds of CPU time that the program would have needed by itself */
    double agent, tool; /* percent of that; the tool's without what it does once */
    /* Of the agent's: interrupts by themselves, copying code, and all else: what walking costs
     * beyond the work that it does for the program. */
    double interrupts, copying, walking;
    double tool_ms, once_ms;
};

struct cost cost_of(const struct totals *totals);

/* The share of user time in which an interrupt led to a complete window; not a number without any.
 */
double walked_share(const struct totals *totals);
