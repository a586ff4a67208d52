/* What branches are likely to do, told by the code alone.
 *
 * Wu and Larus: each of a few simple properties of a branch was found to tell its way in so many
 * per cent of cases; where several apply, their evidence is combined (Dempster and Shafer). Of
 * those that can be seen in machine code: loops go round, calls and returns are avoided, values are
 * not equal and not negative. Besides, what never comes back is next to never reached. */
#pragma once

#include "program/cfg/cfg.h"

struct image;

/* For each edge of the graph the probability that its block goes on by it; those of a block add up
 * to 1. */
void likely_edges(double *odds, const struct cfg *cfg, const struct image *image);
