/* A place of the program and one thing that could be different there. */
#pragma once

#include "analysis/whatif/kind.h"
#include "base/vec.h"
#include "model/core/insn.h"

#include <stdint.h>

enum { CANDIDATE_STEPS = 6, WHATIF_GROUPS = 16 };

/* What the windows of one group said: times says how much CPU time a cycle of them stands for. */
struct candidate_sums {
    double units, saved; /* executions of the place, and cycles that the change saves */
};

struct candidate {
    enum whatif_kind kind;
    uint32_t module;        /* of the profile */
    uint64_t place;         /* svma; of a function: its start */
    uint64_t at;            /* as cores see it */
    uint64_t begin, end;    /* as cores see them: of a loop's body, of a function that is called */
    double bound;           /* cycles that it can save at most, roughly: what is tried first */
    double units;           /* executions in the whole run, as cycles are counted */
    struct core_insn other; /* of a division: what runs instead */
    uint32_t n_steps;
    uint64_t steps[CANDIDATE_STEPS]; /* of a loop: instructions that count its iterations */
    struct candidate_sums sums[WHATIF_GROUPS];
    uint32_t windows; /* that were gone again */
};

struct candidates {
    VEC(struct candidate);
};

struct core_code;
struct modelled;
struct whatif_asked;

/* Those worth trying, by what the model says of each instruction. */
void candidates_find(struct candidates *candidates, struct modelled *modelled,
                     struct core_code *code, const struct whatif_asked *asked);
