/* Putting a profile of another build in the place of one that was read, and saying what became of
 * it. */
#pragma once

#include "carry/carry.h"

struct profile;

/* EXIT_DONE, or what to return after saying why; the profile is released then. */
int profile_carry(struct profile *profile, const char *input, const struct carry_options *options,
                  bool quiet);
