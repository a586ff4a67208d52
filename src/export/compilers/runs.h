/* Straight runs of code, as hardware that records taken branches would show them: from where
 * control arrived up to where it left, with everything between executed in order.
 *
 * Counts of blocks and of steps between blocks do not tell which arrival ended at which departure;
 * any runs that cover each block as often as it ran, and cross each step as often as it was gone,
 * say the same to readers, who add them up again. So a departure ends the youngest arrivals. Calls
 * come back and end nothing. */
#pragma once

#include "export/job/code.h"

struct run {
    uint64_t start, last; /* svma: first and last instruction */
    uint64_t count;
};

struct runs {
    VEC(struct run); /* by start, then last; none twice */
};

void runs_make(struct runs *runs, const struct code_counts *code);
void runs_release(struct runs *runs);

/* Branches that were taken, those that lead into the module: jumps, calls and tail calls; by from,
 * then to. What comes from elsewhere comes from BRANCH_ELSEWHERE, where no code is; functions that
 * a linker dropped are at 0 for debug information. */
#define BRANCH_ELSEWHERE UINT64_MAX
struct branch {
    uint64_t from, to;
    uint64_t count;
    bool indirect; /* through a register or memory */
};

struct branches {
    VEC(struct branch);
};

void branches_make(struct branches *branches, const struct code_counts *code);
void branches_release(struct branches *branches);
