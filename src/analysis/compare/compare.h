/* How alike two profiles are.
 *
 * Overlap: sum over keys of min(w1 / W1, w2 / W2), all modules, a missing key is 0. Matched: share
 * of a side's weight whose key exists on the other. Weights are executions for edges, blocks and
 * instructions, executed instructions for functions and paths; with WEIGHT_TIME, user time.
 *
 * Interval coverage: of the keys that both have, each counted once whatever its weight, the share
 * for which the truth lies inside the other's 95 % interval. It is asked of frequencies per
 * executed instruction, so that runs of different length can be compared. */
#pragma once

#include "analysis/counts/items.h"
#include "analysis/counts/labels.h"

/* Sides of the scene. */
enum { TRUTH, OTHER };

struct difference {
    uint32_t module, to_module;
    function_id function;
    uint64_t at, to;
    double shares[SIDES_MAX]; /* w / W */
};

struct comparison {
    enum item_by by;
    enum weight weight;
    double overlap;
    double matched[SIDES_MAX];
    double coverage; /* not a number if no key is on both sides */
    uint64_t keys;   /* on either side */
    uint64_t stray;
    struct differences {
        VEC(struct difference); /* all keys, the largest difference of shares first */
    } differences;
};

/* The scene has two sides: the truth, and the other. */
void compare_sides(struct comparison *comparison, struct scene *scene, enum item_by by,
                   enum weight weight);
void comparison_release(struct comparison *comparison);
