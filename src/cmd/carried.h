/* Carries a profile over to another build and reports how much of it was found again. */
#pragma once

#include "carry/carry.h"

struct profile;

/* Replaces *profile. EXIT_DONE; or an exit status, after a message: the profile is then released.
 */
int profile_carry(struct profile *profile, const char *input, const struct carry_options *options,
                  bool quiet);
