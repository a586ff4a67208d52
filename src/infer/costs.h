/* The cost of raising or lowering one count by one, in integers from 0 to COST_MOST. Impossible
 * control flow costs COST_RULED, more than any detour through unseen code. */
#pragma once

#include "infer/infer_problem.h"

enum { COST_MOST = 1 << 20, COST_FIRM = 1 << 26, COST_RULED = 1 << 27 };

struct unit_cost {
    int64_t raise, lower;
};

/* What a count is of; arrivals at the entry and departures are the function's ways in and out. */
enum cost_kind { COST_BLOCK, COST_ENTRY_BLOCK, COST_EDGE, COST_OUTSIDE };

struct costs {
    enum infer_method method;
    int64_t most; /* of the function's counts: what leaving a class the wrong way costs */
    double base;  /* Levin's b: the root of the mean count of blocks, in grains */
    double grain; /* of the problem */
    bool points;  /* likewise */
};

struct costs costs_make(const struct infer_problem *problem, enum infer_method method);
struct unit_cost costs_of(const struct costs *costs, const struct infer_count *count,
                          enum cost_kind kind);
/* Of a block that was sampled too often lowering is free, and raising as dear as anything of the
 * function; of one that was sampled too seldom it is the other way round. */
struct unit_cost costs_of_class(const struct costs *costs, enum infer_class sampled);
