/* Reads the payload of a chunk. Every piece is checked before it is used; err gets the reason for
 * what is refused. */
#pragma once

#include "base/bytes.h"
#include "base/cursor.h"
#include "wire/u128.h"

struct arena;
struct err;

bool payload_number(struct cursor *cursor, uint64_t *ret_value, struct err *err);
bool payload_wide(struct cursor *cursor, u128 *ret_value, struct err *err);
/* A number below 2^32; `what` is for messages. */
bool payload_short(struct cursor *cursor, const char *what, uint32_t *ret_value, struct err *err);
/* Adds a folded difference to *field. */
bool payload_difference(struct cursor *cursor, uint64_t *field, struct err *err);
bool payload_bytes(struct cursor *cursor, uint64_t n, const uint8_t **ret_bytes, struct err *err);
/* A copy in the arena, zero-terminated. */
bool payload_text(struct cursor *cursor, struct arena *arena, char **ret_text, struct err *err);
/* A zero-terminated copy in reused memory: names come with every append. */
bool payload_name(struct cursor *cursor, struct bytes *name, struct err *err);
