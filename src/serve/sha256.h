/* SHA-256 (FIPS 180-4): a file's Content-Security-Policy names its script and style by it. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { SHA256_BYTES = 32 };

void sha256(const void *bytes, size_t n, uint8_t ret_hash[SHA256_BYTES]);
