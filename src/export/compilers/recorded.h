/* Counts of a module as its branch records have them (profile->runs), for formats of LLVM with
 * --raw: the same as llvm-profgen makes of the records, be they possible or not.
 *
 * Blocks are stretches that equally many runs go through, not those of a graph, and may reach from
 * one function into the next. All branches are calls. There are no edges. */
#pragma once

#include "export/job/job.h"

/* Whether they are wanted, and there. */
bool recorded_wanted(const struct export_job *job);
/* `starts` are the first instructions of runs, in order. They are the caller's. */
struct recorded {
    struct code_counts code;
    struct recorded_starts {
        VEC(uint64_t);
    } starts;
};

void recorded_make(struct recorded *recorded, const struct export_job *job);
void recorded_release(struct recorded *recorded);
