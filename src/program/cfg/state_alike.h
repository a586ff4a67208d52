/* States that are equal but for the names that the joins of their own blocks gave.
 *
 * Whatever comes to two blocks of which the same is known is joined the same way at both, unless it
 * bears names of one of them itself: what is found at one is known of the other. */
#pragma once

#include "program/cfg/values.h"

/* Names that a join at a block may give, from this one on: STATE_PLACES of them are its own. */
bool state_alike(const struct state *a, value_name own_a, const struct state *b, value_name own_b);
/* What is known at one block, with the own names of another. */
void state_copy_as(struct state *state, value_name own, const struct state *from,
                   value_name own_from);

/* Every name in it, some of them more than once; returns how many. */
enum { STATE_NAMES_MAX = 16 + 2 * STATE_SLOTS + STATE_FACTS + 1 };
uint32_t state_names(const struct state *state, value_name ret_names[STATE_NAMES_MAX]);
