#include "profile/file/chunk.h"

#include "base/err.h"
#include "base/crc.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

enum { ZSTD_LEVEL = 1, CUT_LEVEL = 9, SMALLEST_TO_COMPRESS = 512 };

static const char *const names[CHUNK_TYPES] = {[CHUNK_HEADER] = "HEADER",
                                               [CHUNK_MODULES] = "MODULES",
                                               [CHUNK_EDGES] = "EDGES",
                                               [CHUNK_RANGES] = "RANGES",
                                               [CHUNK_LOSSES] = "LOSSES",
                                               [CHUNK_TOTALS] = "TOTALS",
                                               [CHUNK_END] = "END",
                                               [CHUNK_STACKS] = "STACKS",
                                               [CHUNK_THREADS] = "THREADS",
                                               [CHUNK_NAMES] = "NAMES",
                                               [CHUNK_TRIPS] = "TRIPS",
                                               [CHUNK_PATHS] = "PATHS",
                                               [CHUNK_PASSAGES] = "PASSAGES",
                                               [CHUNK_VALUES] = "VALUES",
                                               [CHUNK_SERIES] = "SERIES",
                                               [CHUNK_CONTEXT_PATHS] = "CONTEXT_PATHS",
                                               [CHUNK_CALL_COSTS] = "CALL_COSTS",
                                               [CHUNK_TIMES] = "TIMES",
                                               [CHUNK_MOMENTS] = "MOMENTS",
                                               [CHUNK_LOGGED] = "LOGGED",
                                               [CHUNK_EVENTS] = "EVENTS",
                                               [CHUNK_WAIT_TIMES] = "WAIT_TIMES",
                                               [CHUNK_LATENCIES] = "LATENCIES",
                                               [CHUNK_CONFLICTS] = "CONFLICTS",
                                               [CHUNK_SAMPLES] = "SAMPLES",
                                               [CHUNK_MODELLED] = "MODELLED",
                                               [CHUNK_WINDOWS] = "WINDOWS",
                                               [CHUNK_PATH_PARTS] = "PATH_PARTS",
                                               [CHUNK_WAITS] = "WAITS",
                                               [CHUNK_KEPT] = "KEPT",
                                               [CHUNK_RUNS] = "RUNS",
                                               [CHUNK_WASTE] = "WASTE",
                                               [CHUNK_TURNS] = "TURNS",
                                               [CHUNK_CALLED] = "CALLED",
                                               [CHUNK_FIRSTS] = "FIRSTS"};

bool chunk_is_known(uint32_t type)
{
    return type < CHUNK_TYPES && names[type];
}

const char *chunk_name(uint32_t type)
{
    return chunk_is_known(type) ? names[type] : "unknown";
}

static void put_u32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

static uint32_t get_u32(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

void chunk_put_start(struct bytes *out)
{
    uint8_t version[4];
    put_u32(version, FILE_VERSION);
    bytes_add(out, FILE_MAGIC, 8);
    bytes_add(out, version, 4);
}

/* One frame, with a block of its own, or several, for each piece. */
static size_t compress_cut(struct bytes *out, size_t room, const struct bytes *payload,
                           const struct chunk_cuts *cuts, ZSTD_CCtx *zstd)
{
    ZSTD_outBuffer to = {out->at + out->n, room, 0};
    ZSTD_CCtx_reset(zstd, ZSTD_reset_session_and_parameters);
    ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, CUT_LEVEL);
    ZSTD_CCtx_setPledgedSrcSize(zstd, payload->n);
    for (size_t i = 0, start = 0; i < cuts->n; start = cuts->at[i++]) {
        if (chunk_gives_up(cuts))
            return 0;
        ZSTD_inBuffer from = {payload->at + start, cuts->at[i] - start, 0};
        size_t left =
            ZSTD_compressStream2(zstd, &to, &from, i + 1 < cuts->n ? ZSTD_e_flush : ZSTD_e_end);
        ASSERT(left == 0 && from.pos == from.size);
    }
    return to.pos;
}

/* Compresses behind out->n, where the stored payload belongs. Returns its length, or 0 if it does
 * not pay or would pass the ratio that readers allow. */
static size_t try_compress(struct bytes *out, const struct bytes *payload,
                           const struct chunk_cuts *cuts, ZSTD_CCtx *zstd)
{
    if (!zstd || payload->n < SMALLEST_TO_COMPRESS)
        return 0;
    enum { BLOCK_BYTES = 32 }; /* what a block may take beyond its bytes, generously */
    bool cut = cuts && cuts->n;
    size_t room = ZSTD_compressBound(payload->n) + (cut ? cuts->n * BLOCK_BYTES : 0);
    bytes_reserve(out, out->n + room);
    size_t n =
        cut ? compress_cut(out, room, payload, cuts, zstd)
            : ZSTD_compressCCtx(zstd, out->at + out->n, room, payload->at, payload->n, ZSTD_LEVEL);
    ASSERT(!ZSTD_isError(n));
    return n < payload->n && n * CHUNK_RATIO_MAX >= payload->n ? n : 0;
}

void chunk_put(struct bytes *out, enum chunk_type type, uint8_t version,
               const struct bytes *payload, const struct chunk_cuts *cuts, struct ZSTD_CCtx_s *zstd)
{
    ASSERT(payload->n <= CHUNK_PAYLOAD_MAX);
    size_t start = out->n;
    uint8_t header[CHUNK_HEADER_BYTES] = {0};
    bytes_add(out, header, sizeof header);
    size_t n = try_compress(out, payload, cuts, zstd);
    header[7] = n ? CHUNK_ZSTD : 0;
    if (n)
        out->n += n;
    else
        bytes_add(out, payload->at, n = payload->n);
    put_u32(header, (uint32_t)n);
    header[4] = (uint8_t)type;
    header[5] = (uint8_t)(type >> 8);
    header[6] = version;
    put_u32(header + 8, crc32c(crc32c(0, header, 8), out->at + start + sizeof header, n));
    memcpy(out->at + start, header, sizeof header);
}

bool chunk_source_read(const struct chunk_source *source, uint64_t offset, void *buffer, size_t n,
                       struct err *err)
{
    ASSERT(offset <= source->size && n <= source->size - offset);
    if (source->fd < 0) {
        if (n)
            memcpy(buffer, source->memory + offset, n);
        return true;
    }
    for (size_t done = 0; done < n;) {
        ssize_t got = pread(source->fd, (char *)buffer + done, n - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return err_errno(err, "cannot read at byte %llu", (unsigned long long)offset);
        if (got == 0)
            return err_set(err, ERR_SYSTEM, "was cut to %llu bytes while being read",
                           (unsigned long long)(offset + done));
        done += (size_t)got;
    }
    return true;
}

enum chunk_found chunk_read(const struct chunk_source *source, uint64_t offset, struct chunk *chunk,
                            struct err *err)
{
    uint64_t left = source->size - offset;
    chunk->offset = chunk->next = offset;
    chunk->type = 0;
    if (!left)
        return CHUNK_NONE;
    if (left < CHUNK_HEADER_BYTES)
        return CHUNK_CUT;
    uint8_t header[CHUNK_HEADER_BYTES];
    if (!chunk_source_read(source, offset, header, sizeof header, err))
        return CHUNK_FAILED;
    uint32_t n = get_u32(header);
    chunk->type = (uint32_t)header[4] | (uint32_t)header[5] << 8;
    if (n > CHUNK_PAYLOAD_MAX)
        return CHUNK_DAMAGED;
    if (n > left - sizeof header)
        return CHUNK_CUT;
    bytes_reserve(&chunk->stored, n);
    if (!chunk_source_read(source, offset + sizeof header, chunk->stored.at, n, err))
        return CHUNK_FAILED;
    chunk->stored.n = n;
    chunk->next = offset + sizeof header + n;
    chunk->version = header[6];
    chunk->flags = header[7];
    bool whole = get_u32(header + 8) == crc32c(crc32c(0, header, 8), chunk->stored.at, n);
    return whole ? CHUNK_WHOLE : CHUNK_DAMAGED;
}

static bool unpack(struct chunk *chunk, struct err *err)
{
    unsigned long long n = ZSTD_getFrameContentSize(chunk->stored.at, chunk->stored.n);
    if (n == ZSTD_CONTENTSIZE_ERROR || n == ZSTD_CONTENTSIZE_UNKNOWN)
        return err_set(err, ERR_FORMAT, "no zstd frame of known size");
    if (n > CHUNK_PAYLOAD_MAX || n > (uint64_t)chunk->stored.n * CHUNK_RATIO_MAX)
        return err_set(err, ERR_FORMAT, "%zu bytes claim to unpack to %llu", chunk->stored.n, n);
    bytes_reserve(&chunk->unpacked, (size_t)n);
    size_t got = ZSTD_decompress(chunk->unpacked.at, (size_t)n, chunk->stored.at, chunk->stored.n);
    if (ZSTD_isError(got) || got != n)
        return err_set(err, ERR_FORMAT, "damaged zstd frame");
    chunk->unpacked.n = got;
    return true;
}

bool chunk_payload(struct chunk *chunk, const uint8_t **ret_payload, size_t *ret_n, struct err *err)
{
    const struct bytes *payload = &chunk->stored;
    if (chunk->flags & ~(uint32_t)CHUNK_ZSTD)
        return err_set(err, ERR_FORMAT, "unknown flags 0x%x", chunk->flags);
    if (chunk->flags & CHUNK_ZSTD) {
        if (!unpack(chunk, err))
            return false;
        payload = &chunk->unpacked;
    }
    *ret_payload = payload->at;
    *ret_n = payload->n;
    return true;
}

void chunk_release(struct chunk *chunk)
{
    vec_release(&chunk->stored);
    vec_release(&chunk->unpacked);
}
