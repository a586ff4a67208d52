/* Untrusted text, character by character. */
#pragma once

#include <stddef.h>

/* Bytes of the UTF-8 character at `at`, in text that ends with 0; 0: not valid UTF-8. */
size_t utf8_bytes(const unsigned char *at);
