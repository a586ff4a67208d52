/* A profile out of a store: the sum of the recordings that were asked for. */
#pragma once

#include "profile/profile.h"

#include "base/memory.h"
#include "base/vec.h"

struct err;

/* Reads what the text asks for (store/place.h); the caller releases it. Warnings are in
 * profile->warning, as profile_read has them. */
bool store_read(const char *text, struct profile *ret_profile, struct err *err);

/* The same question for each build of the services that it is about, a text each, in the arena. */
struct store_texts {
    VEC(const char *);
};
bool store_builds(const char *text, struct arena *arena, struct store_texts *ret_texts,
                  struct err *err);
