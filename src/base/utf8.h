/* Text of others, letter by letter. */
#pragma once

#include <stddef.h>

/* Bytes of the letter that begins here, in text that ends with 0; 0: no letter of UTF-8 does. */
size_t utf8_bytes(const unsigned char *at);
