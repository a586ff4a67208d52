/* Straight runs of code, as hardware that records taken branches would show them: from an arrival
 * of control to the next departure.
 *
 * Counts of blocks and of edges between them do not say which arrival ended at which departure.
 * Any set of runs with the right counts of blocks and edges means the same to readers, which add
 * them up again. So a departure ends the youngest arrivals. Calls return and end nothing. */
#pragma once

#include "export/job/job.h"

struct run {
    uint64_t start, last; /* svma: first and last instruction */
    uint64_t count;
};

struct runs {
    VEC(struct run); /* by start, then last; none twice */
};

void runs_make(struct runs *runs, const struct code_counts *code);
/* The same, or runs as branch records have them, if counts are wanted raw and the profile has some:
 * AutoFDO's sums of functions depend on where runs begin and end. */
void runs_of_job(struct runs *runs, const struct export_job *job);
/* Runs of branch records; raw: as llvm-profgen takes them. */
void runs_recorded(struct runs *runs, const struct export_job *job, bool raw);
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
