/* A loop as its code shows it: the instructions between a branch that leads back and its target. */
#pragma once

#include "analysis/whatif/candidate.h"
#include "analysis/whatif/traits.h"

struct whatif_loop {
    uint32_t instructions, packed; /* packed: arithmetic on vectors */
    uint16_t bits;                 /* the widest of them */
    bool calls;
    /* Instructions that are needed once for several iterations: those that count them, and the
     * comparison. 0: the loop does not end by counting. */
    uint32_t n_steps;
    uint64_t steps[CANDIDATE_STEPS];
};

/* False: the code cannot be read as a loop. */
bool loop_read(struct core_code *code, const struct code_insn *branch,
               struct whatif_loop *ret_loop);
