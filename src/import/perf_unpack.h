/* Records that perf compressed (`perf record -z`), unpacked.
 *
 * Each record of the kind COMPRESSED holds a piece of one zstd stream. What comes out are records
 * again; one may be cut at the end of a piece, and then continues in the next. Other records stand
 * between the pieces as they are. */
#pragma once

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

struct err;

/* Of perf's own. The second has its size in front, because it is padded. */
enum { PERF_COMPRESSED = 81, PERF_COMPRESSED_PADDED = 83 };

struct perf_unpacked {
    VEC(uint8_t);
};

/* All records, those between the pieces included; empty if none is compressed. The offset is that
 * of the records in their file, for messages. */
bool perf_unpack(struct perf_unpacked *ret, const uint8_t *records, uint64_t n, uint64_t offset,
                 struct err *err);
