/* From a profile to chunks. Same profile, same bytes: rows are sorted, names are sorted, and
 * nothing depends on where things are in memory. */
#pragma once

#include "profile/order.h"

/* A chunk is closed, between two entries, when it has this much. */
enum { ENCODE_CHUNK_TARGET = 1 << 20 };

struct encoder {
    struct bytes out;
    struct ZSTD_CCtx_s *zstd; /* NULL: store as is */
    struct bytes payload;     /* of the chunk being filled */
    struct row_order order;   /* scratch */
};

void encoder_release(struct encoder *encoder);

/* Pieces of a payload. A text that is too long is cut. */
void encode_number(struct encoder *encoder, uint64_t value);
void encode_text(struct encoder *encoder, const char *text, size_t n);
/* Has the payload enough for a chunk? */
bool encode_is_full(const struct encoder *encoder);
/* The payload becomes a chunk of `out`, and is empty again. */
void encode_chunk(struct encoder *encoder, enum chunk_type type, uint8_t version);

/* Everything: start, header, modules by path and build-id, tables, losses, totals, and END if the
 * profile is complete. ret_in_file gets the numbers of the profile's modules, if wanted. */
void encode_whole(struct encoder *encoder, const struct profile *profile,
                  struct numbering *ret_in_file);

/* The parts of an append. A HEADER with the facts alone: command and start do not change. */
void encode_facts(struct encoder *encoder, const struct profile *profile);
void encode_module(struct encoder *encoder, const struct module *module);
void encode_modules_end(struct encoder *encoder);
void encode_counts(struct encoder *encoder, const struct profile *profile,
                   const struct numbering *in_file);
void encode_end(struct encoder *encoder);
