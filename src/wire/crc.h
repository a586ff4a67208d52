/* CRC32C (Castagnoli): reflected polynomial 0x82F63B78, start and final value inverted. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The checksum of what `crc` already covers followed by these bytes; start with 0. */
uint32_t crc32c(uint32_t crc, const void *bytes, size_t n);
