/* Branch probabilities from the code alone.
 *
 * Wu and Larus measured how often simple properties of a branch predict its direction. Where
 * several apply, their evidence is combined (Dempster and Shafer). Machine code shows these: loops
 * repeat, calls and returns are avoided, values are not equal and not negative. Besides, code that
 * never returns is almost never reached. */
#pragma once

#include "program/cfg/cfg.h"

struct image;

/* For each edge of the graph the probability that its block goes on by it; those of a block add up
 * to 1. */
void likely_edges(double *odds, const struct cfg *cfg, const struct image *image);
