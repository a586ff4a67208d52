/* gait optimize: what the old and the new program execute, counted exactly. Unlike times, counts do
 * not scatter. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct optimize;

struct run_counts {
    uint64_t instructions; /* in user space, of all modules */
    uint64_t taken;        /* branches, calls and returns that did not go on behind themselves */
};

/* One exact run of each. False: they run too long, one could not be counted, or did not end as the
 * command does. */
bool run_counts_take(struct run_counts *ret_before, struct run_counts *ret_after,
                     struct optimize *optimize, const char *before, int status);
