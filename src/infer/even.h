/* Splits flow through unseen code evenly.
 *
 * A minimum-cost flow takes one of several ways that cost the same and leaves the others at 0.
 * Where unseen blocks lie between a seen block and one other block, their flow is split again:
 * evenly over the unseen edges, at each of them and at the block before. What enters and leaves
 * the region stays the same. */
#pragma once

#include "infer/infer_problem.h"

/* After it is solved. */
void infer_even(struct infer_problem *problem);
