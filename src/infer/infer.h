/* From recorded counts to consistent counts: what enters a block leaves it, for every block and
 * edge of one function.
 *
 * A function is a graph of blocks and edges, entered from outside at some blocks and left at
 * others. Each of these has a recorded count. The inferred counts are the consistent ones that
 * deviate from the recorded ones at the lowest cost; costs.h has the costs. Counts that are
 * consistent already are their own solution, to the last unit.
 *
 * docs/INFERENCE.md has the formulation and its limits. */
#pragma once

#include "infer/infer_problem.h"

/* Fills in `inferred` everywhere. Nothing was seen at all: nothing is inferred, all stays 0. */
void infer_solve(struct infer_problem *problem, enum infer_method method);
void infer_release(struct infer_problem *problem);
