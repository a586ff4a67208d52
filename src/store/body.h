/* A profile as a store has it: in the format of files, uncompressed, as one frame of zstd. Files
 * are compressed chunk by chunk, so that they can grow; most chunks of a short recording are too
 * small for that. */
#pragma once

#include "base/bytes.h"
#include "profile/profile.h"

struct err;

void body_write(struct bytes *to, const struct profile *profile);
/* As profile_read_bytes. What the bytes claim to unpack to is limited. */
bool body_read(const char *name, const void *bytes, size_t n, struct profile *ret_profile,
               struct err *err);
