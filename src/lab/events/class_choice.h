/* Rules that put blocks into classes, chosen on other programs than the one that is judged.
 *
 * A rule is either the paper's two with thresholds of their own, or a regression: what it makes of
 * all events against what was sampled. */
#pragma once

#include <stddef.h>

struct class_rule {
    double under, over; /* struct class_rules; 0 for a regression */
    double near;        /* class_of_truth; 0: no regression */
};

enum { CLASS_RULES = 11 };

extern const struct class_rule class_rule_list[CLASS_RULES];

/* Overlaps of n programs, CLASS_RULES of each: the rule with the best mean over all programs but
 * `own`. Of one program alone it is the first, which is the paper's. */
size_t class_rule_choose(const double *overlaps, size_t n, size_t own);
