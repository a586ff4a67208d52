/* Chunks of samples. */
#pragma once

#include "profile/file/payload.h"
#include "profile/file/decoder.h"
#include "profile/file/encoder.h"

void encode_samples(struct encoder *encoder, const struct sample_list *samples,
                    const struct numbering *in_file);
bool decode_samples(struct decoder *decoder, struct cursor *cursor, struct err *err);
