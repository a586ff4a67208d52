/* Chunks that are being written, and the pieces of their payloads. */
#pragma once

#include "profile/file/order.h"

/* A chunk of at least this size is closed before the next entry. */
enum { ENCODE_CHUNK_TARGET = 1 << 20 };
/* Longer texts are cut: only a monstrous command line gets there. */
enum { ENCODE_TEXT_MAX = 1 << 20 };

struct encoder {
    struct bytes out;
    struct ZSTD_CCtx_s *zstd; /* NULL: store as is */
    uint64_t hasty_code;      /* of kept code, so many bytes are stored as they are, which makes
                                 larger files in a tenth of the time */
    bool waited_for;          /* somebody waits: all CPUs take part, though files become larger */
    struct bytes payload;     /* of the chunk being filled */
    struct chunk_cuts cuts;   /* of the payload */
    struct row_order order;   /* scratch */
    uint64_t rows[TABLES];    /* written last, of each table */
};

void encoder_release(struct encoder *encoder);

/* Pieces of a payload. */
void encode_number(struct encoder *encoder, uint64_t value);
void encode_wide(struct encoder *encoder, u128 value);
void encode_text(struct encoder *encoder, const char *text, size_t n);
/* Has the payload enough for a chunk? */
bool encode_is_full(const struct encoder *encoder);
/* Appends the payload to `out` as a chunk, and clears it. */
void encode_chunk(struct encoder *encoder, enum chunk_type type, uint8_t version);
