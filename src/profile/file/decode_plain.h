/* The chunks of what a plain recording keeps: stacks, threads and names. */
#pragma once

#include "profile/file/payload.h"
#include "profile/file/decoder.h"

/* to: the profile's stacks, or another tree of it. */
bool decode_stacks(struct decoder *decoder, struct stacks *to, struct cursor *cursor,
                   struct err *err);
bool decode_threads(struct decoder *decoder, struct cursor *cursor, struct err *err);
bool decode_names(struct decoder *decoder, struct cursor *cursor, struct err *err);
