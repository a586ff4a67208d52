/* What a model of a core says that instructions cost, added up along paths (PATHS) and in calling
 * contexts (STACKS): the metrics that Ammons, Ball and Larus counted along paths, and two more.
 *
 * Every cycle belongs to the instruction that retires at its end, or next. The three kinds of
 * stalls are parts of all cycles in which nothing retired, and exclude each other. */
#pragma once

#include "profile/profile.h"
#include "profile/stacks.h"

enum model_cost {
    COST_L1D, /* loads and stores that missed the first cache */
    COST_MISPREDICTS,
    COST_STALLS, /* cycles in which nothing retired */
    COST_CYCLES,
    COST_L1D_WRITES, /* those of L1D that store */
    COST_L1I,
    COST_FLUSH_STALLS, /* nothing was in flight, because a guess had been wrong */
    COST_STORE_STALLS, /* nothing was, because a store waited for room in the store queue */
    COST_FP_STALLS,    /* a floating-point or vector instruction was not done */
    MODEL_COSTS
};

_Static_assert(PATH_KINDS == PATH_MODELLED_L1D + (int)MODEL_COSTS, "a kind of row for each cost");

/* As options and JSON have it, and in a sentence. */
struct model_cost_name {
    const char *word, *text;
};
extern const struct model_cost_name model_cost_names[MODEL_COSTS];
/* All words, for help and messages. */
#define MODEL_COST_WORDS                                                                           \
    "l1d, mispredict, stall, cycles, l1d_write, l1i, mispredict_stall, store_stall or fp_stall"

/* The group of a node of stacks that has it. */
static inline uint32_t model_cost_group(uint32_t cost)
{
    return cost <= COST_STALLS ? STACK_L1D + cost : STACK_CYCLES + cost - COST_CYCLES;
}
