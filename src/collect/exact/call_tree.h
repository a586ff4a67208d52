/* Calling contexts of an exact run (wire/node.h) as stacks of the profile: for each node the calls
 * that led to it, and innermost the start of its function, which weighs as much as it was called.
 *
 * The trees of all threads of a process are one, under its first thread. A handler of a signal
 * stands under that thread itself, as does whatever was entered before the run began or from code
 * that is no function. Calls of contexts that were one too many are counted as lost.
 *
 * Paths that were counted in nodes are rows of paths of all contexts together, and of each
 * (profile->context_paths). */
#pragma once

#include <stdint.h>

struct exact_process;
struct path_plans;

/* A process has ended: its trees are added to the profile. Returns how many nodes made no sense. */
uint64_t call_tree_take(struct path_plans *plans, const struct exact_process *process);
