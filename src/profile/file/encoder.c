#include "profile/file/encoder.h"

#include "wire/varint.h"

void encoder_release(struct encoder *encoder)
{
    vec_release(&encoder->out);
    vec_release(&encoder->payload);
    vec_release(&encoder->cuts);
    row_order_release(&encoder->order);
}

void encode_number(struct encoder *encoder, uint64_t value)
{
    struct bytes *payload = &encoder->payload;
    bytes_reserve(payload, payload->n + VARINT_BYTES_MAX);
    payload->n = (size_t)(varint_put(payload->at + payload->n, value) - payload->at);
}

void encode_wide(struct encoder *encoder, u128 value)
{
    struct bytes *payload = &encoder->payload;
    bytes_reserve(payload, payload->n + VARINT_WIDE_BYTES_MAX);
    payload->n = (size_t)(varint_put_wide(payload->at + payload->n, value) - payload->at);
}

void encode_text(struct encoder *encoder, const char *text, size_t n)
{
    if (n > ENCODE_TEXT_MAX)
        n = ENCODE_TEXT_MAX;
    encode_number(encoder, n);
    bytes_add(&encoder->payload, text, n);
}

void encode_chunk(struct encoder *encoder, enum chunk_type type, uint8_t version)
{
    chunk_put(&encoder->out, type, version, &encoder->payload, &encoder->cuts, encoder->zstd);
    encoder->payload.n = encoder->cuts.n = 0;
}

bool encode_is_full(const struct encoder *encoder)
{
    return encoder->payload.n >= ENCODE_CHUNK_TARGET;
}
