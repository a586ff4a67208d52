#include "profile/file/kept_chunk.h"

#include "base/err.h"
#include "profile/file/payload.h"
#include "wire/varint.h"

#include <stdlib.h>

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

void encode_kept(struct encoder *encoder, const struct kept_parts *kept,
                 const struct numbering *in_file)
{
    struct kept_parts sorted = {0};
    uint64_t module = 0, at = 0;
    for (size_t i = 0; i < kept->n; i++) {
        ASSERT(kept->at[i].module < in_file->n && kept->at[i].n <= KEPT_BYTES_MAX);
        struct kept_part *part = vec_push(&sorted);
        *part = kept->at[i];
        part->module = in_file->at[part->module] + 1;
    }
    if (sorted.n)
        qsort(sorted.at, sorted.n, sizeof *sorted.at, part_compare);
    for (size_t i = 0; i < sorted.n; i++) {
        const struct kept_part *part = &sorted.at[i];
        if (encode_is_full(encoder)) {
            encode_chunk(encoder, CHUNK_KEPT, CHUNK_VERSION);
            module = at = 0;
        }
        encode_number(encoder, part->kind);
        encode_number(encoder, varint_fold(part->module - module));
        encode_number(encoder, varint_fold(part->at - at));
        encode_number(encoder, part->n);
        bytes_add(&encoder->payload, part->bytes, part->n);
        module = part->module;
        at = part->at;
    }
    if (sorted.n)
        encode_chunk(encoder, CHUNK_KEPT, CHUNK_VERSION);
    vec_release(&sorted);
}

/* ---- reading */

bool decode_kept(struct decoder *decoder, struct cursor *cursor, struct err *err)
{
    uint64_t fields[2] = {0};
    while (cursor->at < cursor->end) {
        struct kept_part part = {0};
        uint64_t n;
        if (!payload_short(cursor, "kind", &part.kind, err) ||
            !payload_difference(cursor, &fields[0], err) ||
            !payload_difference(cursor, &fields[1], err) ||
            !decoder_module(decoder, fields[0], &part.module, err) ||
            !payload_number(cursor, &n, err))
            return false;
        if (n > KEPT_BYTES_MAX)
            return err_set(err, ERR_FORMAT, "a part of %llu bytes", (unsigned long long)n);
        if (!payload_bytes(cursor, n, &part.bytes, err))
            return false;
        part.at = fields[1];
        part.n = (size_t)n;
        kept_add(&decoder->profile->kept, &decoder->profile->arena, &part);
    }
    return true;
}
