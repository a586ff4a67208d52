/* Protocol Buffers, the part that is needed to write: numbers, texts, packed lists and messages
 * inside of messages. A field of value 0 is left out, which is how the format says 0. */
#pragma once

#include "base/bytes.h"

#include <stdint.h>

void protobuf_number(struct bytes *out, uint32_t field, uint64_t value);
void protobuf_text(struct bytes *out, uint32_t field, const char *text);
/* Bytes that are a message or a packed list. */
void protobuf_bytes(struct bytes *out, uint32_t field, const struct bytes *bytes);
/* One number of a packed list. */
void protobuf_packed(struct bytes *list, uint64_t value);
