/* Chunks: a profile file after its first 12 bytes. docs/FORMAT.md describes every byte.
 *
 * The checksum covers header and payload of a chunk. So a damaged length or type is detected like
 * other damage, and an unknown type always comes from another version. */
#pragma once

#include "base/bytes.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct ZSTD_CCtx_s;

/* Not text, and damaged by any transfer that takes it for text. */
#define FILE_MAGIC "\x89gait\r\n\x1a"

enum {
    FILE_VERSION = 1,
    FILE_START_BYTES = 12,
    CHUNK_HEADER_BYTES = 12,
    CHUNK_VERSION = 1,
    CHUNK_BATCH_VERSION = 2,     /* of tables: what one batch adds */
    CHUNK_SPANS_VERSION = 2,     /* of windows: they say where modules lay */
    CHUNK_DATED_VERSION = 2,     /* of parts of windows: batches say when they were */
    CHUNK_COLUMNS_VERSION = 2,   /* of what is kept: with code in columns */
    CHUNK_FIELDS_VERSION = 3,    /* likewise: with most of it in one, predicted */
    CHUNK_ZSTD = 1,              /* flag */
    CHUNK_PAYLOAD_MAX = 1 << 24, /* stored or unpacked; what writers make is far smaller */
    CHUNK_RATIO_MAX = 8, /* unpacked / stored: bounds what a small file can make us allocate */
};

enum chunk_type {
    CHUNK_HEADER = 1,
    CHUNK_MODULES,
    CHUNK_EDGES,
    CHUNK_RANGES,
    CHUNK_LOSSES = 6, /* 5 is never used again */
    CHUNK_TOTALS,     /* ends an append: what precedes it counts only with it */
    CHUNK_END,
    CHUNK_STACKS,
    CHUNK_THREADS,
    CHUNK_NAMES,
    CHUNK_TRIPS,
    CHUNK_PATHS,
    CHUNK_PASSAGES,
    CHUNK_SERIES = 16, /* 15 is never used again */
    CHUNK_CONTEXT_PATHS,
    CHUNK_VALUES,
    CHUNK_LATENCIES,
    CHUNK_CONFLICTS,
    CHUNK_SAMPLES,
    CHUNK_MODELLED,
    CHUNK_WINDOWS,
    CHUNK_PATH_PARTS,
    CHUNK_WAITS,
    CHUNK_CALL_COSTS,
    CHUNK_KEPT,
    CHUNK_TIMES,
    CHUNK_MOMENTS,
    CHUNK_LOGGED,
    CHUNK_EVENTS,
    CHUNK_WAIT_TIMES,
    CHUNK_RUNS,
    CHUNK_WASTE,
    CHUNK_TURNS,
    CHUNK_CALLED,
    CHUNK_FIRSTS,
    CHUNK_TYPES
};

/* Whether it is one of the above. */
bool chunk_is_known(uint32_t type);
/* "EDGES" and so on; "unknown" for others. */
const char *chunk_name(uint32_t type);

/* Appends magic and version. */
void chunk_put_start(struct bytes *out);
/* Where pieces of a payload end that have little in common: each is compressed by its own
 * statistics. Empty: it is one piece. */
struct chunk_cuts {
    VEC(size_t);
    const atomic_bool *gives_up; /* NULL, or: once it is true, nobody wants the result any more */
};
static inline bool chunk_gives_up(const struct chunk_cuts *cuts)
{
    return cuts && cuts->gives_up && atomic_load_explicit(cuts->gives_up, memory_order_relaxed);
}
/* Appends a chunk; with a zstd context the payload is compressed if that makes it smaller. */
void chunk_put(struct bytes *out, enum chunk_type type, uint8_t version,
               const struct bytes *payload, const struct chunk_cuts *cuts,
               struct ZSTD_CCtx_s *zstd);

/* The source of chunks: a file, or memory if fd is negative. */
struct chunk_source {
    int fd;
    const uint8_t *memory;
    uint64_t size;
};

struct chunk {
    /* In the source: of this chunk, and after it. For a damaged chunk they are what it claims;
     * `next` equals `offset` if the claim is impossible. Type, version and flags may be wrong too.
     */
    uint64_t offset, next;
    uint32_t type, version, flags;
    struct bytes stored;   /* payload as stored; the caller releases both */
    struct bytes unpacked; /* scratch of chunk_payload */
};

enum chunk_found {
    CHUNK_WHOLE,
    CHUNK_NONE,    /* the source ends here */
    CHUNK_CUT,     /* it ends inside this chunk */
    CHUNK_DAMAGED, /* checksum or length cannot be right */
    CHUNK_FAILED,  /* the system could not read; err is set */
};

/* Reads exactly n bytes. */
bool chunk_source_read(const struct chunk_source *source, uint64_t offset, void *buffer, size_t n,
                       struct err *err);
/* Reads the chunk at `offset` into *chunk, reusing its memory. */
enum chunk_found chunk_read(const struct chunk_source *source, uint64_t offset, struct chunk *chunk,
                            struct err *err);
/* The payload, unpacked if need be; valid until the next chunk_read. */
bool chunk_payload(struct chunk *chunk, const uint8_t **ret_payload, size_t *ret_n,
                   struct err *err);
void chunk_release(struct chunk *chunk);
