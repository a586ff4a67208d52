/* The chunk of what is kept of modules' files. */
#pragma once

#include "profile/file/decoder.h"
#include "profile/file/encoder.h"

struct cursor;
struct err;

void encode_kept(struct encoder *encoder, const struct kept_parts *kept,
                 const struct numbering *in_file);
bool decode_kept(struct decoder *decoder, uint32_t version, struct cursor *cursor, struct err *err);
