/* Whether the model agrees with the clock: of each line, the measured share of user time and the
 * modelled one. */
#pragma once

#include "analysis/counts/estimate.h"

#include <stdbool.h>

struct modelled;

struct modelled_stray {
    const char *line;         /* "file:line" */
    const char *function;     /* linkage */
    struct estimate measured; /* share of user time, by interrupts */
    double modelled;
};

/* The line with the most measured time, if all of its interval is more than twice what the model
 * says. False: there is none, or nothing was measured beside the model. */
bool modelled_strays(const struct modelled *modelled, struct modelled_stray *ret_stray);
