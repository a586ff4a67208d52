#include "import/perf_unpack.h"

#include "base/cursor.h"
#include "base/err.h"
#include "base/memory.h"

#include <zstd.h>

/* What pieces may unpack to: 4000 times their bytes, and 64 MiB more. Dumps of idle stacks shrink
 * to a thousandth; more than this was made to fill the memory. */
enum { RECORD_BYTES = 8, MOST_EACH = 4000, MOST_MORE = 64 << 20, STEP = 1 << 17 };

/* A trace lies behind its record, and is not in its size. */
enum { PERF_AUXTRACE = 71 };

struct unpacker {
    ZSTD_DStream *stream;
    struct perf_unpacked *out;
    struct perf_unpacked held; /* what came out, up to a record that is cut */
    uint64_t read, written;    /* bytes of all pieces so far */
};

struct piece {
    uint32_t type;
    struct cursor content;
    uint64_t bytes; /* with the head, and with the trace behind it */
};

/* False: the end, or no whole record, about which the reader of records says more. */
static bool piece_at(const uint8_t *at, uint64_t room, struct piece *ret)
{
    struct cursor cursor = {at, at + room, false};
    struct piece piece = {.type = cursor_u32(&cursor)};
    piece.bytes = cursor_u32(&cursor) >> 16;
    if (cursor.bad || piece.bytes < RECORD_BYTES || piece.bytes > room)
        return false;
    piece.content = (struct cursor){cursor.at, at + piece.bytes, false};
    if (piece.type == PERF_AUXTRACE) {
        struct cursor size = piece.content;
        uint64_t beyond = cursor_u64(&size);
        if (beyond > room - piece.bytes)
            return false;
        piece.bytes += beyond;
    }
    *ret = piece;
    return true;
}

static bool is_compressed(const struct piece *piece)
{
    return piece->type == PERF_COMPRESSED || piece->type == PERF_COMPRESSED_PADDED;
}

static void bytes_add(struct perf_unpacked *to, const uint8_t *bytes, uint64_t n)
{
    if (!n)
        return;
    vec_room(to, to->n + n);
    memcpy(to->at + to->n, bytes, n);
    to->n += n;
}

/* Whole records go on; what is cut waits for the next piece. */
static void held_give(struct unpacker *unpacker)
{
    struct perf_unpacked *held = &unpacker->held;
    uint64_t whole = 0;
    struct piece piece;
    while (piece_at(held->at + whole, held->n - whole, &piece))
        whole += piece.bytes;
    bytes_add(unpacker->out, held->at, whole);
    if (whole)
        memmove(held->at, held->at + whole, held->n - whole);
    held->n -= whole;
}

static bool piece_unpack(struct unpacker *unpacker, const struct piece *piece, struct err *err)
{
    struct cursor content = piece->content;
    uint64_t n = cursor_room(&content);
    if (piece->type == PERF_COMPRESSED_PADDED)
        n = cursor_u64(&content);
    if (!cursor_has(&content, n))
        return err_set(err, ERR_FORMAT, "more bytes than it has");
    struct perf_unpacked *held = &unpacker->held;
    unpacker->read += n;
    uint64_t most = MOST_MORE + unpacker->read * MOST_EACH;
    ZSTD_inBuffer from = {content.at, n, 0};
    for (bool full = true; from.pos < from.size || full;) {
        if (unpacker->written > most)
            return err_set(err, ERR_FORMAT, "it unpacks to more than %d times its bytes",
                           MOST_EACH);
        vec_room(held, held->n + STEP);
        ZSTD_outBuffer to = {held->at + held->n, STEP, 0};
        size_t got = ZSTD_decompressStream(unpacker->stream, &to, &from);
        if (ZSTD_isError(got))
            return err_set(err, ERR_FORMAT, "%s", ZSTD_getErrorName(got));
        held->n += to.pos;
        unpacker->written += to.pos;
        full = to.pos == to.size;
    }
    held_give(unpacker);
    return true;
}

static bool records_unpack(struct unpacker *unpacker, const uint8_t *records, uint64_t n,
                           uint64_t offset, struct err *err)
{
    struct piece piece;
    uint64_t at = 0;
    for (; piece_at(records + at, n - at, &piece); at += piece.bytes) {
        struct err why = {0};
        if (!is_compressed(&piece))
            bytes_add(unpacker->out, records + at, piece.bytes);
        else if (!piece_unpack(unpacker, &piece, &why))
            return err_set(err, ERR_FORMAT, "offset %llu: a compressed record is damaged: %s",
                           (unsigned long long)(offset + at), why.text);
    }
    if (unpacker->held.n)
        return err_set(err, ERR_FORMAT,
                       "offset %llu: the last %zu bytes of compressed records are not a record",
                       (unsigned long long)(offset + at), unpacker->held.n);
    bytes_add(unpacker->out, records + at, n - at); /* what is wrong there is found by its reader */
    return true;
}

static bool any_compressed(const uint8_t *records, uint64_t n)
{
    struct piece piece;
    for (uint64_t at = 0; piece_at(records + at, n - at, &piece); at += piece.bytes)
        if (is_compressed(&piece))
            return true;
    return false;
}

bool perf_unpack(struct perf_unpacked *ret, const uint8_t *records, uint64_t n, uint64_t offset,
                 struct err *err)
{
    struct perf_unpacked out = {0};
    struct unpacker unpacker = {.out = &out};
    if (!any_compressed(records, n)) {
        *ret = out;
        return true;
    }
    unpacker.stream = ZSTD_createDStream();
    bool ok = records_unpack(&unpacker, records, n, offset, err);
    ZSTD_freeDStream(unpacker.stream);
    vec_release(&unpacker.held);
    if (ok)
        *ret = out;
    else
        vec_release(&out);
    return ok;
}
