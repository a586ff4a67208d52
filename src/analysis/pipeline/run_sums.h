/* How much a whole run executed: instructions, branches, system calls; and how often a core model
 * would have guessed wrong or missed a cache on the way.
 *
 * Exact profiles have counts. In sampled ones these are estimates. What the model says comes from
 * the windows that were kept: its events per instruction, times the instructions of the run. */
#pragma once

#include "analysis/counts/estimate.h"
#include "analysis/pipeline/core_choice.h"

struct scene;

struct run_sums {
    /* Unknown: NaN. */
    struct estimate instructions, per_tick; /* ticks of user time */
    struct estimate branches;               /* jumps, calls and returns as well */
    struct estimate conditional, taken;     /* conditional ones; all that were taken */
    struct estimate syscalls;               /* of exact profiles */
    /* By the model. */
    struct estimate mispredicted, l1d_misses, l2_misses, l3_misses, model_ipc;
    char core[64], core_why[CORE_WHY_BYTES]; /* "": nothing was modelled */
    bool addressed;                          /* the model knew addresses of data */
};

/* Needs totals alone. */
struct estimate run_instructions(const struct profile *profile);
/* The scene has one side. */
void run_sums_make(struct run_sums *sums, struct scene *scene, bool model);
