/* gait optimize: whether the new program does what the old one does, and how fast both are. */
#pragma once

#include "cmd/optimize/trial.h"

#include <stdbool.h>

struct err;
struct optimize;

/* What a run of the command left in the folder. */
struct run_files {
    const char *output, *errors;
    const char *written; /* a copy of the file that --writes names; NULL: none is named */
    struct trial_result result;
};

/* What the program does by itself: what the new program is compared with. */
struct reference_run {
    struct run_files first;
    bool steady; /* it does the same each time: others can be held to it */
};

/* What the program does by itself, twice: what differs from run to run cannot be compared. */
bool reference_take(struct reference_run *reference, struct optimize *optimize, struct err *err);
/* False, with how: the new program does something else. */
bool reference_compare(const struct reference_run *reference, struct optimize *optimize,
                       struct err *err);

/* Runs the program as it was and the new one in turn. */
bool gain_measure(struct gain *ret_gain, struct optimize *optimize, const char *before,
                  struct err *err);
