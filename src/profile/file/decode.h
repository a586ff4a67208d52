/* Reads chunks into a profile. Payloads are untrusted: everything is checked before it is used. */
#pragma once

#include "profile/file/decoder.h"

/* Adds one chunk to the profile. On failure err names the chunk, the place in it and the reason;
 * then the profile can only be released. */
bool decode_chunk(struct decoder *decoder, struct chunk *chunk, struct err *err);
/* Call once, after the last chunk; settles. */
void decode_finish(struct decoder *decoder);
