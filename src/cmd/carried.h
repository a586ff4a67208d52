/* Carries a profile over to another build and reports how much of it was found again. */
#pragma once

#include "carry/carry.h"

struct profile;

/* Replaces *profile. EXIT_DONE; or an exit status, after a message: the profile is then released.
 */
int profile_carry(struct profile *profile, const char *input, const struct carry_options *options,
                  bool quiet);

/* Loads the input and carries it. Of a store each build is carried over, and they are added up.
 * EXIT_DONE, or an exit status, after a message. */
int profile_load_carried(const char *input, const char *event, const struct carry_options *options,
                         bool quiet, struct profile *ret_profile);
