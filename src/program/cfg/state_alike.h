/* States that are equal up to the names that their own blocks' joins gave.
 *
 * A state that arrives at two blocks with alike states joins in the same way at both, unless it
 * contains names of one of them. So the result at one block gives the result at the other. */
#pragma once

#include "program/cfg/values.h"

/* own_a, own_b: the first of the STATE_PLACES names that joins at each block may give. */
bool state_alike(const struct state *a, value_name own_a, const struct state *b, value_name own_b);
/* Copies a state, with its own names replaced by those of another block. */
void state_copy_as(struct state *state, value_name own, const struct state *from,
                   value_name own_from);

/* All names in a state, with repeats; returns their number. */
enum { STATE_NAMES_MAX = 16 + 2 * STATE_SLOTS + STATE_FACTS + 1 };
uint32_t state_names(const struct state *state, value_name ret_names[STATE_NAMES_MAX]);
