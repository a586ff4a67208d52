/* Pairs the source lines of a function in two builds.
 *
 * The sources are not needed: a line is known by its code. Lines of each file keep their order in
 * both builds. Lines with the same operations are pairs as far as the order allows, most code
 * first. Lines between two pairs are pairs if they have the same distance from one of them, or if
 * both builds have equally many: edited, but in their place. */
#pragma once

#include "carry/side.h"

/* For each instruction of each graph the number of its line: the same in both builds if the lines
 * are each other's, else no number of the other build; 0: no line is known. Returns a number that
 * is above all. */
size_t carry_lines_number(uint64_t *old_numbers, const struct carry_side *old,
                          uint64_t *new_numbers, const struct carry_side *new);
