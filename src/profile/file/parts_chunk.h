/* The PATH_PARTS chunk: parts of windows that wait to be searched for paths. */
#pragma once

#include "profile/file/decoder.h"
#include "profile/file/encoder.h"
#include "profile/file/payload.h"

void encode_path_parts(struct encoder *encoder, const struct path_parts *parts,
                       const struct numbering *in_file);
bool decode_path_parts(struct decoder *decoder, uint32_t version, struct cursor *cursor,
                       struct err *err);
