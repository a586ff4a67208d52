/* Which functions of a module call which, as far as code and a profile tell: what ties their counts
 * together.
 *
 * Direct calls and jumps to where another function starts are read from the code, whether they were
 * seen or not; indirect ones were seen. What comes from other modules was seen too, and its callers
 * are not looked at, so that counts of a module do not depend on which others are shown. */
#pragma once

#include "infer/program.h"
#include "analysis/counts/problem.h"

#define TIES_NONE UINT32_MAX

struct ties {
    struct infer_calls *calls;
    const uint32_t *index; /* by function of the module: its problem, or TIES_NONE */
};

/* Those of one function to others, and those to it that come from elsewhere. `own` is its problem.
 */
void ties_add(struct ties *ties, const struct problem_parts *parts, uint32_t own,
              const struct infer_problem *problem);
