/* MOMENTS and LOGGED chunks: when batches were, and what they added (profile/batch_log.h).
 *
 * In a file that grows, the batches themselves follow their MOMENTS; in a whole file, which has
 * only their sums, LOGGED chunks do. */
#pragma once

#include "profile/batch.h"
#include "profile/file/decoder.h"
#include "profile/file/encoder.h"
#include "profile/file/payload.h"

/* A batch that follows as tables. */
void encode_moment(struct encoder *encoder, const struct batch *batch);
/* The log of a profile. */
void encode_log(struct encoder *encoder, const struct profile *profile,
                const struct numbering *in_file);

bool decode_moment(struct decoder *decoder, struct cursor *cursor, struct err *err);
/* Notes a row of the batch that is open, if there is one. */
void decode_log_row(struct decoder *decoder, enum profile_table table, uint32_t key,
                    uint64_t y_time, uint64_t y_count);
