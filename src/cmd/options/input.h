/* What commands read: a file, "-", or recordings of a store (store/place.h). */
#pragma once

#include "profile/profile.h"

struct err;

/* As profile_read. */
bool input_read(const char *text, struct profile *ret_profile, struct err *err);
