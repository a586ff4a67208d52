/* A part of a window as an outline: what is alike below the same call or loop is one line, with how
 * often it was met. Iterations of a loop are one line, and so are the calls that they make. */
#pragma once

#include "analysis/windows/window_detail.h"

struct fold_line {
    uint32_t parent;     /* SCOPE_NONE: none */
    uint32_t level;      /* lines around it */
    uint32_t sample;     /* one of its scopes, the first: kind, function, loop */
    uint32_t runs;       /* calls, or runs of a loop, in the part */
    uint64_t iterations; /* of a loop, that began in the part; at least one for each run */
    uint32_t from;       /* the first instruction, in the part */
    uint64_t instructions, own, cycles; /* in the part; own: in nothing inside of it */
    bool before, after;                 /* any of them */
};

struct window_fold {
    VEC(struct fold_line); /* outer before inner, early before late */
};

void window_fold_make(struct window_fold *fold, const struct window_detail *detail);
void window_fold_release(struct window_fold *fold);
