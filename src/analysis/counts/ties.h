/* The calls between functions of a module, which tie their counts together.
 *
 * Direct calls and jumps to the start of another function are read from the code, seen or not.
 * Indirect ones must have been seen. Calls from other modules count as seen; their callers are not
 * read, so the counts of a module do not depend on which modules are shown. */
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
