/* The counts of one function, as recorded and as inferred (infer.h). */
#pragma once

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

/* One count: of a block, of an edge, of arrivals at a block from outside the function, of
 * departures from it. */
struct infer_count {
    uint64_t seen;
    uint64_t inferred;
    double sd;     /* standard deviation of what was seen; infinite: not known */
    bool measured; /* else `seen` is no more than a guess, and weighs little */
    bool ruled;    /* the code cannot go there: dear, but not impossible */
    bool firm; /* known from elsewhere: dear to leave, though not as dear as what is ruled out */
};

/* Whether samples of single places found a block too often or too seldom (Chen et al., 4.2): one
 * that stalls collects the samples of others, and those behind it get too few. */
enum infer_class { CLASS_FAIR, CLASS_OVER, CLASS_UNDER };

struct infer_block {
    struct infer_count ran, entered, left;
    enum infer_class sampled; /* of INFER_CLASSES and INFER_PERFECT */
};

struct infer_edge {
    uint32_t from, to; /* blocks */
    struct infer_count gone;
};

/* In the order of the words of --inferred (INFERRED_WORDS). */
enum infer_method {
    INFER_CONFIDENCE, /* ours: a count holds as firmly as it was seen; guesses fill what was not */
    INFER_LEVIN, /* Levin, Newman and Haber: rather more than less, the more so the less was seen */
    INFER_PROFI, /* as LLVM does it: flat costs, unknown blocks are free */
    INFER_STATIC,  /* no flow: a block's count and what its branches are likely to do */
    INFER_CLASSES, /* ours, but for blocks that other events show to be sampled too often or too
                      seldom (Chen et al.) */
    INFER_PERFECT, /* the same, by exact counts: the bound of that */
};

struct infer_problem {
    struct infer_blocks {
        VEC(struct infer_block);
    } blocks;
    struct infer_edges {
        VEC(struct infer_edge);
    } edges;
    uint32_t entry; /* block, or UINT32_MAX */
    uint64_t grain; /* what being seen once counts; at least 1 */
    uint64_t one;   /* what one execution counts: not more than that; 0 is 1 */
    bool points;    /* seen by samples of single places, which miss more than they invent */
};
