/* Findings as rows of a batch (struct waste_key), each weighed.
 *
 * Of a window: it weighs so much, and pairs that are longer are found less often in it. A pair that
 * is d instructions long is whole in a window of L only if it begins in the first L - d of them, so
 * it stands for L / (L - d) of its kind: that is the survival estimate of Kaplan and Meier for
 * windows of equal length, whose ends do not depend on what they cut. Pairs longer than
 * WASTE_REACH of a window are left out: one of them would stand for too many.
 *
 * Large programs have more pairs of places and callers than there may be rows: further pairs are
 * kept without their callers, and only when there are too many of those, too, not at all. */
#pragma once

#include "profile/batch.h"
#include "waste/waste_blocks.h"
#include "waste/waste_found.h"

/* Rows of pairs, of a window's batch and of a whole trace (some 200 bytes each); half as many more
 * without callers. The longest pair that counts: of 8 parts of a window. */
enum { WASTE_ROWS = 1 << 16, WASTE_ROWS_TRACE = 1 << 20, WASTE_REACH = 7, WASTE_RECENT = 1 << 12 };

/* A finding met lately, and its row in the batch. */
struct waste_recent {
    struct waste_site first, second;
    uint32_t kind; /* as in keys; 0: none */
    uint32_t row;
};

struct waste_rows {
    struct waste_listener listener; /* for waste_thread_init */
    struct waste_blocks *blocks;
    struct batch *batch;
    uint64_t weight; /* of one execution in this window */
    uint64_t length; /* of the window, in instructions; 0: all pairs are whole */
    uint32_t most;   /* rows of pairs with callers */
    struct waste_recent recent[WASTE_RECENT];
    uint64_t crowded; /* findings without a row: there are too many pairs of places */
};

void waste_rows_init(struct waste_rows *rows, struct waste_blocks *blocks, struct batch *batch,
                     uint32_t most);
/* The window is over: executions of its instructions count. */
void waste_rows_window(struct waste_rows *rows);
