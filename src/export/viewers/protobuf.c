#include "export/viewers/protobuf.h"

#include "wire/varint.h"

#include <string.h>

enum { WIRE_VARINT = 0, WIRE_FIXED = 1, WIRE_BYTES = 2 };

void protobuf_packed(struct bytes *list, uint64_t value)
{
    uint8_t varint[VARINT_BYTES_MAX];
    bytes_add(list, varint, (size_t)(varint_put(varint, value) - varint));
}

void protobuf_number(struct bytes *out, uint32_t field, uint64_t value)
{
    if (value)
        protobuf_number_always(out, field, value);
}

void protobuf_number_always(struct bytes *out, uint32_t field, uint64_t value)
{
    protobuf_packed(out, (uint64_t)field << 3 | WIRE_VARINT);
    protobuf_packed(out, value);
}

void protobuf_fixed(struct bytes *out, uint32_t field, uint64_t value)
{
    if (!value)
        return;
    protobuf_packed(out, (uint64_t)field << 3 | WIRE_FIXED);
    bytes_add(out, &value, sizeof value); /* of x86-64, which is little-endian as the format is */
}

static void put_bytes(struct bytes *out, uint32_t field, const void *bytes, size_t n)
{
    protobuf_packed(out, (uint64_t)field << 3 | WIRE_BYTES);
    protobuf_packed(out, n);
    if (n)
        bytes_add(out, bytes, n);
}

void protobuf_text(struct bytes *out, uint32_t field, const char *text)
{
    put_bytes(out, field, text, strlen(text));
}

void protobuf_bytes(struct bytes *out, uint32_t field, const struct bytes *bytes)
{
    put_bytes(out, field, bytes->at, bytes->n);
}
