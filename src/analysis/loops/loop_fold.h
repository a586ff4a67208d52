/* Adds up windows, one after the other, to rows of loops. */
#pragma once

#include "analysis/loops/loop_row.h"
#include "analysis/windows/window_tree.h"
#include "base/map.h"

/* What one window said of a loop, for intervals. */
struct loop_sum {
    uint32_t row, window;
    double own; /* instructions */
};

struct loop_fold {
    struct window_code *code;
    const struct windows *windows;
    struct map keys;        /* loops */
    struct map access_keys; /* row and instruction: index in the row */
    struct map carried_keys;
    struct map call_keys;
    struct loop_fold_indices {
        VEC(uint32_t);
    } access_index, carried_index, call_index; /* by key */
    struct loop_fold_rows {
        VEC(struct loop_row);
    } rows;
    struct loop_sums {
        VEC(struct loop_sum);
    } sums;
    struct loop_fold_windows {
        VEC(double);
    } window_sizes, window_weights;
    struct map places; /* of instructions: one may be in several runs of the code */
    struct loop_fold_firsts {
        VEC(uint32_t);
    } firsts, same; /* the first one of each place; and of each instruction */
    struct loop_fold_insns {
        VEC(struct loop_insn);
    } insns;            /* as the code's */
    uint64_t entries;   /* numbers them */
    uint64_t addressed; /* windows with addresses */
};

void loop_fold_init(struct loop_fold *fold, struct window_code *code,
                    const struct windows *windows);
void loop_fold_release(struct loop_fold *fold);
void loop_fold_window(struct loop_fold *fold, size_t index);
/* Estimates, and orders within rows. */
void loop_fold_settle(struct loop_fold *fold);
