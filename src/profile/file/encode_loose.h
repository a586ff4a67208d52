/* Edges and ranges of an exact recording, straight from loose rows: sorted by one word each, made
 * of all integers of the row, and added up where they are equal. The same bytes come out as of
 * tables, without looking each row up. */
#pragma once

#include "profile/file/encoder.h"

/* False, with nothing written: the integers of a row need more than 64 bits. */
bool encode_loose(struct encoder *encoder, const struct loose_rows *loose,
                  const struct numbering *in_file);
