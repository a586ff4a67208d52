/* Contents of registers and memory, and addresses of data, that a profile may hold: they can be
 * secrets. */
#pragma once

#include "profile/profile.h"

/* A fact that tells one: how a module shows a value. */
bool fact_tells_value(const struct fact *fact);
/* All of them go: the table of values, cache lines of slow loads, facts, windows kept for a model,
 * addresses of records. What is counted stays. */
void profile_forget_values(struct profile *profile);
