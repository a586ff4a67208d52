/* The chunks of what a plain recording keeps: stacks, threads and names. */
#pragma once

#include "profile/file/encoder.h"

/* type: CHUNK_STACKS or one that is laid out like it. */
void encode_stacks(struct encoder *encoder, enum chunk_type type, const struct stacks *stacks,
                   const struct numbering *in_file);
void encode_threads(struct encoder *encoder, const struct threads *threads);
void encode_names(struct encoder *encoder, const struct names *names,
                  const struct numbering *in_file);
