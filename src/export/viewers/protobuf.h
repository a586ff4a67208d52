/* A writer for Protocol Buffers: numbers, texts, packed lists and nested messages. Fields with
 * value 0 are left out, as the format demands. */
#pragma once

#include "base/bytes.h"

#include <stdint.h>

void protobuf_number(struct bytes *out, uint32_t field, uint64_t value);
/* The same, also of 0: where one of several fields must be there. */
void protobuf_number_always(struct bytes *out, uint32_t field, uint64_t value);
/* 64 bits as they are. */
void protobuf_fixed(struct bytes *out, uint32_t field, uint64_t value);
void protobuf_text(struct bytes *out, uint32_t field, const char *text);
/* Bytes that are a message or a packed list. */
void protobuf_bytes(struct bytes *out, uint32_t field, const struct bytes *bytes);
/* One number of a packed list. */
void protobuf_packed(struct bytes *list, uint64_t value);
