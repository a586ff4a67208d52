/* Which blocks of a function samples found too often or too seldom.
 *
 * By other events (Chen et al., 4.2): stalls of a block, A, make it collect samples of others; the
 * cycles that its own samples do not explain, S, are those in which others collected its samples.
 * By exact counts: what such classes can be worth at most. */
#pragma once

#include "analysis/counts/event_sums.h"
#include "analysis/counts/problem.h"

/* The paper's two rules, of the sums of one block. */
enum infer_class class_of_events(double samples, struct event_sum sum, struct class_rules rules);
/* Of the block's share of its function, sampled and true: which is more than `near` times the
 * other. */
enum infer_class class_of_truth(double sampled, double truth, double near);
/* Of 1.1, 1.25, 1.5, 2 and 3 the best on the programs of bench/lab-events. */
#define CLASS_NEAR 2

/* All blocks of a problem, whose counts are there. */
void classes_by_events(struct infer_problem *problem, const struct problem_parts *parts,
                       const struct event_sums *sums);
void classes_by_truth(struct infer_problem *problem, const struct problem_parts *parts,
                      const struct flow *truth);
