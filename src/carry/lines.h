/* Which source lines of a function are which in another build of it.
 *
 * Sources need not be there: a line is known by what code it became. Lines of each file stand in
 * their order in both builds; those that became the same operations are each other's as far as
 * their order allows, most code first. Lines between two such pairs are each other's if they lie as
 * far from one of the pairs, or if there are as many in both builds: edited, but in their place. */
#pragma once

#include "carry/blocks.h"

/* For each instruction of each graph the number of its line: the same in both builds if the lines
 * are each other's, else no number of the other build; 0: no line is known. Returns a number that
 * is above all. */
size_t carry_lines_number(uint64_t *old_numbers, const struct carry_side *old,
                          uint64_t *new_numbers, const struct carry_side *new);
