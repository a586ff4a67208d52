/* What a change does to the steps of a window. */
#pragma once

#include "analysis/whatif/candidate.h"
#include "analysis/whatif/course.h"

/* Sets the acts of the course, which are clear. Returns how many executions of the place there are
 * among the steps that count. */
uint64_t edit_make(struct whatif_course *course, struct traits_cache *traits,
                   const struct candidate *candidate);
