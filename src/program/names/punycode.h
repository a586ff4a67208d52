/* Letters beyond ASCII, written in ASCII: RFC 3492 with '_' as the delimiter, as Rust does. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PUNYCODE_LETTERS_MAX = 128 };

/* letters has room for PUNYCODE_LETTERS_MAX + 1. False: invalid or too long. */
bool punycode_read(const char *text, size_t bytes, uint32_t *letters, size_t *ret_n);
