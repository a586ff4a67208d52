#include "profile/file/parts_chunk.h"

#include "base/err.h"
#include "wire/varint.h"

#include <stdlib.h>

/* ---- writing */

static void put_blocks(struct encoder *encoder, const struct path_sheet *sheet,
                       const struct numbering *in_file)
{
    const struct parts_segment *segment = sheet->segments.at;
    uint64_t at = 0, shift = 0, exit = 0;
    encode_number(encoder, sheet->blocks.n);
    for (size_t i = 0; i < sheet->blocks.n; i++) {
        const struct parts_block *block = &sheet->blocks.at[i];
        encode_number(encoder, varint_fold(block->first_exit - exit));
        encode_number(encoder, block->n_segments);
        exit = block->first_exit + block->n_segments;
        for (uint32_t k = 0; k < block->n_segments; k++, segment++) {
            ASSERT(segment->module < in_file->n);
            encode_number(encoder, in_file->at[segment->module] + (uint64_t)1);
            encode_number(encoder, varint_fold(segment->at - at));
            encode_number(encoder, varint_fold(segment->start - segment->at - shift));
            encode_number(encoder, segment->bytes);
            encode_number(encoder, segment->instructions);
            encode_number(encoder, segment->end);
            encode_number(encoder, segment->last_bytes);
            at = segment->at + segment->bytes;
            shift = segment->start - segment->at;
        }
    }
}

static void put_batches(struct encoder *encoder, const struct path_sheet *sheet)
{
    const struct window_part *part = sheet->parts.at;
    encode_number(encoder, sheet->batches.n);
    for (size_t i = 0; i < sheet->batches.n; i++) {
        const struct parts_batch *batch = &sheet->batches.at[i];
        encode_number(encoder, batch->n_parts);
        encode_number(encoder, batch->group);
        encode_number(encoder, batch->x_time);
        encode_number(encoder, batch->x_count);
        encode_number(encoder, batch->moment_ns);
        for (uint32_t k = 0; k < batch->n_parts; k++, part++) {
            encode_number(encoder, part->n);
            encode_number(encoder, part->instructions);
            encode_number(encoder, part->weight);
            encode_number(encoder, part->end);
        }
    }
}

static int sheet_compare(const void *a, const void *b)
{
    const struct bytes *x = a, *y = b;
    int order = memcmp(x->at, y->at, x->n < y->n ? x->n : y->n);
    return order ? order : (x->n > y->n) - (x->n < y->n);
}

/* Sorted by their bytes: no order of merging can show. */
void encode_path_parts(struct encoder *encoder, const struct path_parts *parts,
                       const struct numbering *in_file)
{
    struct bytes *sheets = mem_alloc((parts->n + 1) * sizeof *sheets);
    for (size_t i = 0; i < parts->n; i++) {
        const struct path_sheet *sheet = &parts->at[i];
        put_blocks(encoder, sheet, in_file);
        put_batches(encoder, sheet);
        encode_number(encoder, sheet->body.n);
        bytes_add(&encoder->payload, sheet->body.at, sheet->body.n);
        sheets[i] = encoder->payload;
        encoder->payload = (struct bytes){0};
    }
    qsort(sheets, parts->n, sizeof *sheets, sheet_compare);
    for (size_t i = 0; i < parts->n; i++) {
        vec_release(&encoder->payload);
        encoder->payload = sheets[i];
        encode_chunk(encoder, CHUNK_PATH_PARTS, CHUNK_DATED_VERSION);
    }
    mem_free(sheets);
}

/* ---- reading */

static bool segment_decode(const struct decoder *decoder, struct cursor *cursor, uint64_t *at,
                           uint64_t *shift, struct parts_segment *ret_segment, struct err *err)
{
    uint64_t module, instructions, end, last;
    struct parts_segment segment = {0};
    if (!payload_number(cursor, &module, err) ||
        !decoder_module(decoder, module, &segment.module, err) ||
        !payload_difference(cursor, at, err) || !payload_difference(cursor, shift, err) ||
        !payload_short(cursor, "segment of bytes:", &segment.bytes, err) ||
        !payload_number(cursor, &instructions, err) || !payload_number(cursor, &end, err) ||
        !payload_number(cursor, &last, err))
        return false;
    if (instructions > UINT16_MAX || end > UINT8_MAX || last > 15 ||
        segment.bytes > 15 * instructions || last > segment.bytes || segment.bytes < instructions ||
        (instructions && !last))
        return err_set(err, ERR_FORMAT, "a segment of %llu instructions in %u bytes",
                       (unsigned long long)instructions, segment.bytes);
    segment.at = *at;
    segment.start = *at + *shift;
    segment.instructions = (uint16_t)instructions;
    segment.end = (uint8_t)end;
    segment.last_bytes = (uint8_t)last;
    *at += segment.bytes;
    *ret_segment = segment;
    return true;
}

static bool blocks_decode(struct decoder *decoder, struct cursor *cursor, struct path_sheet *sheet,
                          struct err *err)
{
    uint64_t n, at = 0, shift = 0, exit = 0;
    if (!payload_number(cursor, &n, err))
        return false;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t n_segments;
        if (!payload_difference(cursor, &exit, err) || !payload_number(cursor, &n_segments, err))
            return false;
        if (!n_segments || exit >= PARTS_EXITS_MAX || n_segments >= PARTS_EXITS_MAX - exit)
            return err_set(err, ERR_FORMAT, "a block of %llu segments, exits from %llu on",
                           (unsigned long long)n_segments, (unsigned long long)exit);
        *vec_push(&sheet->blocks) = (struct parts_block){(uint32_t)exit, (uint32_t)n_segments};
        for (uint64_t k = 0; k < n_segments; k++) {
            struct parts_segment segment;
            if (!segment_decode(decoder, cursor, &at, &shift, &segment, err))
                return false;
            *vec_push(&sheet->segments) = segment;
        }
        exit += n_segments;
    }
    return true;
}

static bool part_decode(struct cursor *cursor, struct window_part *ret_part, struct err *err)
{
    struct window_part part = {0};
    if (!payload_short(cursor, "exits of a part:", &part.n, err) ||
        !payload_short(cursor, "instructions of a part:", &part.instructions, err) ||
        !payload_number(cursor, &part.weight, err) ||
        !payload_short(cursor, "end of a part:", &part.end, err))
        return false;
    if (part.n > PARTS_PART_MAX)
        return err_set(err, ERR_FORMAT, "a part of %u exits", part.n);
    *ret_part = part;
    return true;
}

static bool batches_decode(struct cursor *cursor, uint32_t version, struct path_sheet *sheet,
                           struct err *err)
{
    uint64_t n;
    if (!payload_number(cursor, &n, err))
        return false;
    for (uint64_t i = 0; i < n; i++) {
        struct parts_batch batch = {0};
        if (!payload_short(cursor, "parts of a batch:", &batch.n_parts, err) ||
            !payload_short(cursor, "group of a batch:", &batch.group, err) ||
            !payload_number(cursor, &batch.x_time, err) ||
            !payload_number(cursor, &batch.x_count, err) ||
            (version >= CHUNK_DATED_VERSION && !payload_number(cursor, &batch.moment_ns, err)))
            return false;
        if (batch.group >= STACK_GROUPS)
            return err_set(err, ERR_FORMAT, "group %u", batch.group);
        *vec_push(&sheet->batches) = batch;
        for (uint32_t k = 0; k < batch.n_parts; k++) {
            struct window_part part;
            if (!part_decode(cursor, &part, err))
                return false;
            *vec_push(&sheet->parts) = part;
        }
    }
    return true;
}

bool decode_path_parts(struct decoder *decoder, uint32_t version, struct cursor *cursor,
                       struct err *err)
{
    while (cursor->at < cursor->end) {
        struct path_sheet *sheet = vec_push(&decoder->profile->path_parts);
        uint64_t n;
        const uint8_t *body;
        if (!blocks_decode(decoder, cursor, sheet, err) ||
            !batches_decode(cursor, version, sheet, err) || !payload_number(cursor, &n, err) ||
            !payload_bytes(cursor, n, &body, err))
            return false;
        bytes_add(&sheet->body, body, (size_t)n);
    }
    return true;
}
