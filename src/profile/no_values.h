/* Removes from a profile what may be secret: contents of registers and memory, and data addresses.
 */
#pragma once

#include "profile/profile.h"

/* A fact that shows a value: how a module prints one. */
bool fact_tells_value(const struct fact *fact);
/* Removes the table of values, cache lines of slow loads, such facts, windows kept for a model, and
 * addresses of records. Counts stay. */
void profile_forget_values(struct profile *profile);
