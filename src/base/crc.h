/* CRC32C (Castagnoli): reflected polynomial 0x82F63B78, start and final value inverted.
 *
 * zlib has another polynomial, which no instruction computes. By a table the checksum was a third
 * of the cost of an append to a profile, so processors since 2008 use their own instruction. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The checksum of what `crc` already covers followed by these bytes; start with 0. */
uint32_t crc32c(uint32_t crc, const void *bytes, size_t n);
/* The same for every processor. */
uint32_t crc32c_by_table(uint32_t crc, const void *bytes, size_t n);
