/* gait optimize: whether the new program does what the old one does, and how fast both are. */
#pragma once

#include "cmd/optimize/trial.h"

#include <stdbool.h>

struct err;
struct optimize;

/* What a run of the command left: files in the folder. */
struct outcome {
    const char *output, *errors;
    const char *written; /* a copy of the file that --writes names; NULL: none is named */
    struct trial_result result;
};

struct check {
    struct outcome first;
    bool steady; /* it does the same each time: others can be held to it */
};

/* What the program does by itself, twice: what differs from run to run cannot be compared. */
bool check_begin(struct check *check, struct optimize *optimize, struct err *err);
/* False, with how: the new program does something else. */
bool check_result(const struct check *check, struct optimize *optimize, struct err *err);

/* Runs the program as it was and the new one in turn. */
bool gain_measure(struct gain *ret_gain, struct optimize *optimize, const char *before,
                  struct err *err);
