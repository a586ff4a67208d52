/* MD5 (RFC 1321), for names that other tools know by it; not against forgery. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { MD5_BYTES = 16 };

void md5(const void *bytes, size_t n, uint8_t ret_digest[MD5_BYTES]);
