/* Calling contexts of an exact run (wire/node.h) as stacks of the profile: for each node the calls
 * that led to it, and innermost the start of its function, which weighs its number of calls.
 *
 * The trees of all threads of a process are merged, under its first thread. Signal handlers are
 * directly under that thread; so is what was entered before the run began, or from code that is no
 * function. Calls of contexts beyond the limit are counted as lost.
 *
 * Paths that were counted in nodes are rows of paths for all contexts together, and for each
 * (profile->context_paths). */
#pragma once

#include <stdint.h>

struct exact_process;
struct path_plans;

/* A process has ended: adds its trees to the profile. Returns how many nodes made no sense. */
uint64_t call_tree_take(struct path_plans *plans, const struct exact_process *process);
