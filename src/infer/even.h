/* Flow through code of which nothing is known is split evenly.
 *
 * A minimum-cost flow takes one way of several that cost the same, and says of the others that they
 * were not gone. Where blocks that were never seen lie between one that was and one other, whatever
 * goes through them is shared out again: at each of them, and at the block before, evenly over the
 * edges that were not seen. What goes in and comes out stays as it is. */
#pragma once

#include "infer/infer.h"

/* After it is solved. */
void infer_even(struct infer_problem *problem);
