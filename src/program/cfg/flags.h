/* The comparison that set the flags, as a state remembers it, and what a branch on them proves. */
#pragma once

#include "program/cfg/operations.h"
#include "program/cfg/values.h"

/* The flags are those of left - right, in arithmetic of that width. */
void flags_compare(struct state *state, struct value left, struct value right, unsigned bits);
/* The flags come from something that is not understood. */
void flags_forget(struct state *state);
/* Adds what must be true where this condition holds. */
void flags_learn(struct state *state, enum condition condition);
