#include "profile/model_costs.h"

const struct model_cost_name model_cost_names[MODEL_COSTS] = {
    [COST_L1D] = {"l1d", "misses in the first cache of a model"},
    [COST_MISPREDICTS] = {"mispredict", "wrong guesses of a model"},
    [COST_STALLS] = {"stall", "cycles in which nothing retired in a model"},
    [COST_CYCLES] = {"cycles", "cycles of a model"},
    [COST_L1D_WRITES] = {"l1d_write", "stores that missed the first cache of a model"},
    [COST_L1I] = {"l1i", "misses in the first cache of code of a model"},
    [COST_FLUSH_STALLS] = {"mispredict_stall", "cycles that wrong guesses left a model empty"},
    [COST_STORE_STALLS] = {"store_stall", "cycles that a full store queue left a model empty"},
    [COST_FP_STALLS] = {"fp_stall",
                        "cycles in which a model waited for a floating-point or vector result"},
};
