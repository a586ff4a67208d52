/* Branch records of samples (perf record -b: LBR, BRBE) -> edges and straight runs of a sampled
 * profile. Each sample is a window, and gives the last 16 to 32 taken branches, the newest first.
 * Between the target of one and the source of the next everything ran once, in a straight line.
 *
 * Every branch and run counts once, as llvm-profgen and AutoFDO count them: what `gait report`
 * calls executions are those that the records show. Nothing scales them up to the whole run. Only
 * samples that stand for several equal ones (period, if the event's is 1) count as often.
 *
 * The kernel's branches are left out, unless they lead to the start of a function: a signal
 * handler. What cannot have happened is left out and counted as a loss: a run across a jump, a
 * branch from an instruction that is none, though one may start a function, too. */
#pragma once

#include "import/branch_raw.h"
#include "import/branch_turns.h"
#include "import/perf_space.h"
#include "profile/batch.h"

struct perf_seen;

enum { BRANCH_TIMES_MOST = 100000000 }; /* that one sample may count */

/* Indices are those of the batch. */
struct branch_part {
    uint32_t range, edge; /* edge: into the next part, or MAP_NONE */
    bool falls;           /* the edge is a branch that was not taken */
};
struct branch_run {
    uint32_t first, n; /* of parts */
    uint32_t instructions;
    uint32_t passed; /* conditional branches that were not taken */
    bool broken;
};
struct branch_hop {
    uint32_t edge, fallen; /* fallen: if the branch had gone on; either may be MAP_NONE */
    bool turns;            /* a conditional branch */
    bool astray; /* the instruction cannot lead there; an edge is no more than an arrival */
};

struct branch_records {
    struct perf_space *space;
    struct branch_raw raw;
    struct branch_turns turns;
    struct batch batch;
    uint32_t samples, per_batch; /* in the open batch; when it closes */
    uint64_t times;              /* that the open sample counts */
    struct map run_keys, hop_keys;
    uint64_t decoded; /* instructions of runs */
    struct branch_runs {
        VEC(struct branch_run);
    } runs;
    struct branch_parts {
        VEC(struct branch_part);
    } parts;
    struct branch_hops {
        VEC(struct branch_hop);
    } hops;
};

/* samples: about how many will come. */
void branch_records_init(struct branch_records *records, struct perf_space *space,
                         uint64_t samples);
void branch_records_release(struct branch_records *records);

/* Whether the records of the event are all taken branches in a row. */
bool branch_records_usable(uint64_t branch_type);

void branch_records_add(struct branch_records *records, const struct perf_seen *seen);
/* Closes the last batch. */
void branch_records_end(struct branch_records *records);
/* No record will follow: closes the last batch, and tells what the directions were. */
void branch_records_finish(struct branch_records *records);
