/* What the recording has cost and seen so far, as absolute numbers that only grow, and the part of
 * them that has not been written yet. */
#pragma once

#include "collect/drain.h"
#include "profile/profile.h"

struct cpu_times;

/* CPU times come from the kernel: of the program and of all its descendants that it waited for.
 * `last`: nothing more will come. */
void totals_now(const struct drain *drain, const struct cpu_times *times, bool last,
                struct totals *ret_totals);

/* Adds to `delta` what `now` has over `told`, and brings `told` up to it. Batches and their sums
 * are not touched: whoever closes batches adds them. */
void totals_give(struct totals *delta, struct totals *told, const struct totals *now);
