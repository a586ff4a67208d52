/* Carries trees of calling contexts (profile/stacks.h): where time was spent and when, where
 * threads waited, samples of other events, what calls cost. */
#pragma once

#include <stdbool.h>

struct carry_tables;

/* A frame that has no place in the new build is left out: its caller called what it called. What
 * was seen with it innermost belongs to "[unknown]", below its caller.
 *
 * Numbers of paths, and runs of instructions in a row, are the old code's: of trees of these, only
 * what is wholly of other modules is taken over. Returns whether anything was left out so. */
bool carry_trees_fill(struct carry_tables *tables);
