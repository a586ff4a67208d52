/* Cost and results of the recording so far, as numbers that only grow; and the part that is not
 * written yet. */
#pragma once

#include "collect/drain.h"
#include "profile/profile.h"

struct cpu_times;

/* CPU times come from the kernel: of the program and of all descendants that it waited for. `last`:
 * nothing more will come. */
void totals_now(const struct drain *drain, const struct cpu_times *times, bool last,
                struct totals *ret_totals);

/* Adds to `delta` what `now` exceeds `told` by, and sets `told` to it. Batches and their sums are
 * not touched: closing a batch adds them. */
void totals_give(struct totals *delta, struct totals *told, const struct totals *now);
