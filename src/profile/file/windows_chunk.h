/* Chunks of windows. */
#pragma once

#include "profile/file/payload.h"
#include "profile/file/decoder.h"
#include "profile/file/encoder.h"

void encode_windows(struct encoder *encoder, const struct windows *windows,
                    const struct numbering *in_file);
/* A window of version 1 does not say where modules lay. */
bool decode_windows(struct decoder *decoder, uint32_t version, struct cursor *cursor,
                    struct err *err);
