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

/* The kernel divides a thread's time by what ticks of its clock, 250 a second, find it at. Where
 * others want the CPU, a thread's turns end at ticks, and code at their ends stands for all: a
 * program with 0.6 of 1.6 s in the kernel had 0.1 to 1.1. Samples come at any moment, but are few.
 * So they divide the time if they contradict the kernel: by more than chance does in one of 300. */
void cpu_times_divide(struct cpu_times *times, double kernel_share, uint64_t samples);

struct trail_rates;

/* The program's time in ticks of its trails, where these count: rate times that is what it
 * executed. Their ticks are as if copies were warm, but they are not; long ones know the rate of
 * warm copies. While these are few, what is usual with so much different code is believed, too. */
uint64_t totals_stretch(uint64_t ticks, const struct trail_rates *rates, uint64_t variety);

/* Adds to `delta` what `now` exceeds `told` by, and sets `told` to it. Batches and their sums are
 * not touched: closing a batch adds them. */
void totals_give(struct totals *delta, struct totals *told, const struct totals *now);
