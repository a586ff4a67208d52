/* gait optimize: compares the output and the speed of the old and the new program. */
#pragma once

#include "cmd/optimize/trial.h"

#include <stdbool.h>

struct err;
struct optimize;

/* Files that a run of the command left in the folder. */
struct run_files {
    const char *output, *errors;
    const char *written; /* a copy of the file that --writes names; NULL: none is named */
    struct trial_result result;
};

/* A run of the old program, to which the new one is compared. */
struct reference_run {
    struct run_files first;
    bool steady; /* a second run gave the same: the output can be compared */
};

/* Runs the old program twice: output that differs from run to run cannot be compared. */
bool reference_take(struct reference_run *reference, struct optimize *optimize, struct err *err);
/* False, with the difference, if the new program does something else. */
bool reference_compare(const struct reference_run *reference, struct optimize *optimize,
                       struct err *err);

/* Measures the program at `before` and the result in turn; `what` says what they are. */
bool gain_measure(struct gain *ret_gain, struct optimize *optimize, const char *before,
                  const char *what, struct err *err);
