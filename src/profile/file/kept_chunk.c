#include "profile/file/kept_chunk.h"

#include "base/err.h"
#include "base/parallel.h"
#include "profile/file/code_reader.h"
#include "profile/file/code_writer.h"
#include "profile/file/payload.h"
#include "wire/varint.h"

#include <stdlib.h>
#include <zstd.h>

/* ---- writing */

/* Sorted by module in the file, which is not the order in the profile. */
static int part_compare(const void *a, const void *b)
{
    const struct kept_part *x = a, *y = b;
    if (x->module != y->module)
        return x->module < y->module ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* Consecutive parts that become chunks of their own, so that several threads can compress. */
struct slice {
    const struct kept_part *at;
    size_t n;
    bool columns; /* of code */
    struct encoder encoder;
};
struct slices {
    VEC(struct slice);
    bool compressed, waited_for;
    const atomic_bool *gives_up;
};

static void part_encode(struct encoder *encoder, const struct kept_part *part,
                        struct kept_part *before)
{
    encode_number(encoder, part->kind);
    encode_number(encoder, varint_fold((uint64_t)part->module - before->module));
    encode_number(encoder, varint_fold(part->at - before->at));
    encode_number(encoder, part->n);
    *before = *part;
}

/* Parts as they are. */
static void slice_encode_whole(struct slice *slice)
{
    struct encoder *encoder = &slice->encoder;
    struct kept_part before = {0};
    for (size_t i = 0; i < slice->n; i++) {
        if (encode_is_full(encoder)) {
            encode_chunk(encoder, CHUNK_KEPT, CHUNK_VERSION);
            before = (struct kept_part){0};
        }
        part_encode(encoder, &slice->at[i], &before);
        bytes_add(&encoder->payload, slice->at[i].bytes, slice->at[i].n);
    }
    encode_chunk(encoder, CHUNK_KEPT, CHUNK_VERSION);
}

/* Of each part. */
enum entry_column {
    ENTRY_KIND,
    ENTRY_MODULE, /* folded, as the next one is */
    ENTRY_AT,
    ENTRY_REST,  /* bytes that are not code */
    ENTRY_CODE,  /* bytes that are */
    ENTRY_AFTER, /* if there is code: how many of the rest follow it; often always the same */
    ENTRY_BYTES, /* the rest, or where code is not in columns all */
    ENTRY_COLUMNS
};
struct entries {
    struct bytes columns[ENTRY_COLUMNS];
};

static void put_number(struct bytes *to, uint64_t number)
{
    bytes_reserve(to, to->n + VARINT_BYTES_MAX);
    to->n = (size_t)(varint_put(to->at + to->n, number) - to->at);
}

/* With the code left where it is, or taken out into columns. */
static void entry_put(struct entries *entries, const struct kept_part *part,
                      struct kept_part *before, struct code_writer *code)
{
    struct bytes *columns = entries->columns;
    size_t end = part->code_at + part->code_n;
    put_number(&columns[ENTRY_KIND], part->kind);
    put_number(&columns[ENTRY_MODULE], varint_fold((uint64_t)part->module - before->module));
    put_number(&columns[ENTRY_AT], varint_fold(part->at - before->at));
    put_number(&columns[ENTRY_REST], part->n - part->code_n);
    put_number(&columns[ENTRY_CODE], part->code_n);
    if (part->code_n)
        put_number(&columns[ENTRY_AFTER], part->n - end);
    *before = *part;
    if (!part->code_n || !code) {
        bytes_add(&columns[ENTRY_BYTES], part->bytes, part->n);
        return;
    }
    bytes_add(&columns[ENTRY_BYTES], part->bytes, part->code_at);
    bytes_add(&columns[ENTRY_BYTES], part->bytes + end, part->n - end);
    code_writer_add(code, (struct code_piece){part->at, part->bytes + part->code_at, part->code_n});
}

static void columns_put(struct encoder *encoder, const struct bytes *columns, size_t n, bool cut)
{
    for (size_t i = 0; i < n; i++) {
        bytes_add(&encoder->payload, columns[i].at, columns[i].n);
        if (cut)
            *vec_push(&encoder->cuts) = encoder->payload.n;
    }
}

/* Columns of parts, then of code, each compressed by itself; or of parts alone, compressed in
 * haste. */
static void slice_encode_told(struct slice *slice, struct code_writer *code)
{
    struct encoder *encoder = &slice->encoder;
    struct entries entries = {0};
    struct kept_part before = {0};
    for (size_t i = 0; i < slice->n; i++)
        entry_put(&entries, &slice->at[i], &before, code);
    if (code)
        code_writer_fill(code);
    encode_number(encoder, code ? CODE_COLUMNS : 0);
    for (size_t i = 0; i < ENTRY_COLUMNS; i++)
        encode_number(encoder, entries.columns[i].n);
    for (size_t i = 0; code && i < CODE_COLUMNS; i++)
        encode_number(encoder, code->columns[i].n);
    columns_put(encoder, entries.columns, ENTRY_COLUMNS, code);
    if (code)
        columns_put(encoder, code->columns, CODE_COLUMNS, true);
    encode_chunk(encoder, CHUNK_KEPT, CHUNK_FIELDS_VERSION);
    for (size_t i = 0; i < ENTRY_COLUMNS; i++)
        vec_release(&entries.columns[i]);
}

static void slice_encode_columns(struct slice *slice)
{
    struct code_writer *code = mem_alloc(sizeof *code);
    code_writer_init(code);
    code->gives_up = &slice->encoder.cuts;
    slice_encode_told(slice, code);
    code_writer_release(code);
    mem_free(code);
}

/* Whether it is told where code is. A chunk with columns must be one, whatever its size. */
static bool tells_code(const struct slice *slice)
{
    size_t bytes = 0, code = 0;
    for (size_t i = 0; i < slice->n; i++) {
        bytes += slice->at[i].n;
        code += slice->at[i].code_n;
    }
    return code && bytes <= CHUNK_PAYLOAD_MAX / 8;
}

/* The last first: these have columns, and take longest. */
static void slice_encode(void *context, size_t index, unsigned worker)
{
    const struct slices *slices = context;
    struct slice *slice = &slices->at[slices->n - 1 - index];
    (void)worker;
    slice->encoder.zstd = slices->compressed ? ZSTD_createCCtx() : NULL;
    slice->encoder.cuts.gives_up = slices->gives_up;
    if (!tells_code(slice))
        slice_encode_whole(slice);
    else if (slice->columns)
        slice_encode_columns(slice);
    else
        slice_encode_told(slice, NULL);
    ZSTD_freeCCtx(slice->encoder.zstd);
}

/* Columns of more might not fit into a chunk. */
enum { WHOLE_BYTES = CHUNK_PAYLOAD_MAX / 8 };

/* Columns take ten times as long as the rest: they are cut so that all CPUs have some of them. Each
 * slice has tables of its own, so files become larger by that: by 5 % with slices of 64 KB. */
static size_t columns_slice(const struct slices *slices, const struct kept_parts *sorted,
                            uint64_t hasty_code)
{
    enum { SLICES = 2, LEAST_BYTES = 1 << 16, MOST_BYTES = 1 << 20 };
    uint64_t code = 0, bytes = 0;
    if (!slices->waited_for)
        return WHOLE_BYTES;
    for (size_t i = 0; i < sorted->n; i++) {
        bytes += code >= hasty_code ? sorted->at[i].n : 0;
        code += sorted->at[i].code_n;
    }
    uint64_t each = bytes / SLICES;
    return each < LEAST_BYTES ? LEAST_BYTES : each > MOST_BYTES ? MOST_BYTES : each;
}

/* No slice has code of both kinds. */
static void slices_cut(struct slices *slices, const struct kept_parts *sorted, uint64_t hasty_code)
{
    enum { SLICE_BYTES = 1 << 20 }; /* less compresses worse */
    size_t room = 0, columns_bytes = columns_slice(slices, sorted, hasty_code);
    uint64_t code = 0;
    for (size_t i = 0; i < sorted->n; i++) {
        const struct kept_part *part = &sorted->at[i];
        bool columns = slices->compressed && code >= hasty_code;
        bool full = !room || (columns && !slices->waited_for && part->n > room);
        if (full || slices->at[slices->n - 1].columns != columns) {
            *vec_push(slices) = (struct slice){.at = part, .columns = columns};
            room = columns ? columns_bytes : SLICE_BYTES;
        }
        code += part->code_n;
        slices->at[slices->n - 1].n++;
        room -= part->n < room ? part->n : room;
    }
}

void encode_kept(struct encoder *encoder, const struct kept_parts *kept,
                 const struct numbering *in_file)
{
    struct kept_parts sorted = {0};
    struct slices slices = {.compressed = encoder->zstd,
                            .waited_for = encoder->waited_for,
                            .gives_up = encoder->cuts.gives_up};
    vec_room(&sorted, kept->n);
    for (size_t i = 0; i < kept->n; i++) {
        ASSERT(kept->at[i].module < in_file->n && kept->at[i].n <= KEPT_BYTES_MAX);
        struct kept_part *part = vec_push(&sorted);
        *part = kept->at[i];
        part->module = in_file->at[part->module] + 1;
    }
    if (sorted.n)
        qsort(sorted.at, sorted.n, sizeof *sorted.at, part_compare);
    slices_cut(&slices, &sorted, encoder->hasty_code);
    parallel_for(slices.n, slice_encode, &slices);
    for (size_t i = 0; i < slices.n; i++) {
        bytes_add(&encoder->out, slices.at[i].encoder.out.at, slices.at[i].encoder.out.n);
        encoder_release(&slices.at[i].encoder);
    }
    vec_release(&slices);
    vec_release(&sorted);
}

/* ---- reading */

/* All of a part but its bytes. */
static bool part_read(struct decoder *decoder, struct cursor *cursor, uint64_t *fields,
                      struct kept_part *part, struct err *err)
{
    uint64_t n;
    if (!payload_short(cursor, "kind", &part->kind, err) ||
        !payload_difference(cursor, &fields[0], err) ||
        !payload_difference(cursor, &fields[1], err) ||
        !decoder_module(decoder, fields[0], &part->module, err) || !payload_number(cursor, &n, err))
        return false;
    if (n > KEPT_BYTES_MAX)
        return err_set(err, ERR_FORMAT, "a part of %llu bytes", (unsigned long long)n);
    part->at = fields[1];
    part->n = (size_t)n;
    return true;
}

static bool whole_read(struct decoder *decoder, struct cursor *cursor, struct err *err)
{
    uint64_t fields[2] = {0};
    while (cursor->at < cursor->end) {
        struct kept_part part = {0};
        if (!part_read(decoder, cursor, fields, &part, err) ||
            !payload_bytes(cursor, part.n, &part.bytes, err))
            return false;
        kept_add(&decoder->profile->kept, &decoder->profile->arena, &part);
    }
    return true;
}

/* The part's bytes with its code put where it belongs; code: NULL, it stands there. */
static bool part_take(struct decoder *decoder, struct cursor *bytes, struct kept_part *part,
                      struct code_reader *code, struct err *err)
{
    const uint8_t *rest;
    size_t at = part->code_at, n = part->code_n;
    if (!n || !code) {
        if (!payload_bytes(bytes, part->n, &part->bytes, err))
            return false;
        kept_add(&decoder->profile->kept, &decoder->profile->arena, part);
        return true;
    }
    if (n >= code_reader_left(code))
        return err_set(err, ERR_FORMAT, "%zu bytes of code, where there are fewer", n);
    if (!payload_bytes(bytes, part->n - n, &rest, err))
        return false;
    uint8_t *whole = arena_alloc(&decoder->profile->arena, part->n + 1);
    if (!code_reader_take(code, part->at, whole + at, n, err))
        return false;
    memcpy(whole, rest, at);
    memcpy(whole + at + n, rest + at, part->n - n - at);
    part->bytes = whole;
    *vec_push(&decoder->profile->kept) = *part;
    return true;
}

/* Where its code is. */
static bool code_told(struct kept_part *part, uint64_t at, uint64_t n, struct err *err)
{
    if (n > part->n || at > part->n - n)
        return err_set(err, ERR_FORMAT, "%llu bytes of code at %llu of %zu", (unsigned long long)n,
                       (unsigned long long)at, part->n);
    part->code_at = (size_t)at;
    part->code_n = (size_t)n;
    return true;
}

/* ---- version 2: entries one after another */

static bool old_entries_read(struct decoder *decoder, struct cursor *entries,
                             struct code_reader *code, struct err *err)
{
    uint64_t fields[2] = {0};
    while (entries->at < entries->end) {
        struct kept_part part = {0};
        uint64_t n, at = 0;
        if (!part_read(decoder, entries, fields, &part, err) || !payload_number(entries, &n, err) ||
            (n && !payload_number(entries, &at, err)) || !code_told(&part, at, n, err) ||
            !part_take(decoder, entries, &part, code, err))
            return false;
    }
    return true;
}

/* ---- version 3: entries in columns */

static bool entry_read(struct decoder *decoder, struct cursor *columns, uint64_t *fields,
                       struct kept_part *part, struct err *err)
{
    uint64_t rest, code, after = 0;
    if (!payload_short(&columns[ENTRY_KIND], "kind", &part->kind, err) ||
        !payload_difference(&columns[ENTRY_MODULE], &fields[0], err) ||
        !payload_difference(&columns[ENTRY_AT], &fields[1], err) ||
        !decoder_module(decoder, fields[0], &part->module, err) ||
        !payload_number(&columns[ENTRY_REST], &rest, err) ||
        !payload_number(&columns[ENTRY_CODE], &code, err) ||
        (code && !payload_number(&columns[ENTRY_AFTER], &after, err)))
        return false;
    if (rest > KEPT_BYTES_MAX || code > KEPT_BYTES_MAX - rest)
        return err_set(err, ERR_FORMAT, "a part of %llu and %llu bytes", (unsigned long long)rest,
                       (unsigned long long)code);
    part->at = fields[1];
    part->n = (size_t)(rest + code);
    return code_told(part, code ? rest - after : 0, code, err);
}

static bool entries_read(struct decoder *decoder, struct cursor *columns, struct code_reader *code,
                         struct err *err)
{
    uint64_t fields[2] = {0};
    while (cursor_room(&columns[ENTRY_KIND])) {
        struct kept_part part = {0};
        if (!entry_read(decoder, columns, fields, &part, err) ||
            !part_take(decoder, &columns[ENTRY_BYTES], &part, code, err))
            return false;
    }
    for (int i = 0; i < ENTRY_COLUMNS; i++)
        if (cursor_room(&columns[i]))
            return err_set(err, ERR_FORMAT, "bytes after the last part");
    return true;
}

/* The bytes of each column, one after another. */
static bool column_open(struct cursor *sizes, struct cursor *bytes, struct cursor *column,
                        struct err *err)
{
    uint64_t n;
    if (!payload_number(sizes, &n, err) || !payload_bytes(bytes, n, &column->at, err))
        return false;
    column->end = column->at + n;
    return true;
}

/* n_entries columns of entries, and what there is of code. */
static bool columns_open(struct cursor *cursor, struct cursor *entries, size_t n_entries,
                         struct code_reader *code, bool *ret_code, struct err *err)
{
    uint64_t n, skipped;
    if (!payload_number(cursor, &n, err))
        return false;
    if (n > (code->old ? (uint64_t)OLD_COLUMNS : CODE_COLUMNS))
        return err_set(err, ERR_FORMAT, "%llu columns of code", (unsigned long long)n);
    struct cursor sizes = *cursor;
    for (uint64_t i = 0; i < n + n_entries; i++)
        if (!payload_number(cursor, &skipped, err))
            return false;
    for (size_t i = 0; i < n_entries; i++)
        if (!column_open(&sizes, cursor, &entries[i], err))
            return false;
    for (uint64_t i = 0; i < n; i++)
        if (!column_open(&sizes, cursor, &code->columns[i], err))
            return false;
    if (cursor->at != cursor->end)
        return err_set(err, ERR_FORMAT, "bytes after the last column");
    *ret_code = n;
    return true;
}

static bool told_read(struct decoder *decoder, struct cursor *cursor, struct code_reader *code,
                      struct err *err)
{
    struct cursor entries[ENTRY_COLUMNS] = {{0}};
    bool any = false;
    if (!columns_open(cursor, entries, code->old ? 1 : ENTRY_COLUMNS, code, &any, err) ||
        (any && !code_reader_open(code, err)))
        return false;
    return (code->old ? old_entries_read : entries_read)(decoder, entries, any ? code : NULL, err);
}

bool decode_kept(struct decoder *decoder, uint32_t version, struct cursor *cursor, struct err *err)
{
    if (version < CHUNK_COLUMNS_VERSION)
        return whole_read(decoder, cursor, err);
    struct code_reader *code = mem_alloc(sizeof *code);
    code->old = version < CHUNK_FIELDS_VERSION;
    bool ok = told_read(decoder, cursor, code, err);
    code_reader_release(code);
    mem_free(code);
    return ok;
}
