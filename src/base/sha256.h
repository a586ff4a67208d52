/* SHA-256 (FIPS 180-4): names of contents that nobody can forge. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { SHA256_BYTES = 32 };

void sha256(const void *bytes, size_t n, uint8_t ret_digest[SHA256_BYTES]);
