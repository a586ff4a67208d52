/* CRC32C (Castagnoli): reflected polynomial 0x82F63B78, start and final value inverted.
 *
 * By the processor's own instruction where it has one: by the table the checksum was a third of
 * what an append to a profile cost. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The checksum of what `crc` already covers followed by these bytes; start with 0. */
uint32_t crc32c(uint32_t crc, const void *bytes, size_t n);
/* The same for every processor. */
uint32_t crc32c_by_table(uint32_t crc, const void *bytes, size_t n);
