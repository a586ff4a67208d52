/* A profile out of a store: the sum of the recordings that were asked for. */
#pragma once

#include "profile/profile.h"

struct err;

/* Reads what the text asks for (store/place.h); the caller releases it. Warnings are in
 * profile->warning, as profile_read has them. */
bool store_read(const char *text, struct profile *ret_profile, struct err *err);
