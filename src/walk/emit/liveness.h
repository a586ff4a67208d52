/* Are the program's status flags dead, so that code may change them? */
#pragma once

#include "walk/base/region.h"
#include "walk/emit/shape.h"

#include <stdbool.h>

/* True if from pc on every flag of `flags` (FLAG_ bits) is overwritten before it is read, as far as
 * the straight path shows. False when in doubt: at a return, an indirect branch, or a branch that
 * is reached with a flag undecided. Looks at up to 24 instructions. */
bool flags_dead(const struct regions *regions, uint64_t pc, uint8_t flags);
/* The same at the start of a shape, whose instructions are decoded. */
bool flags_dead_at_shape(const struct regions *regions, const struct shape *shape, uint8_t flags);
