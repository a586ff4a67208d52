#include "profile/file/kept_pack.h"

#include "profile/file/kept_chunk.h"

#include <string.h>
#include <zstd.h>

/* A pack is a chunk, and chunks of columns are no larger. Of what is larger, few bytes are code. */
enum { PART_BYTES_MAX = 1 << 18, PACK_BYTES_MAX = 3 << 19 };

static bool is_packable(const struct kept_part *part, const struct numbering *in_file)
{
    return part->code_n && !part->packed && part->n <= PART_BYTES_MAX && part->module < in_file->n;
}

void kept_pick(struct kept_picked *picked, struct kept_parts *parts, uint64_t code_most,
               const struct numbering *in_file)
{
    for (size_t i = 0; i < parts->n && picked->code < code_most; i++) {
        struct kept_part *part = &parts->at[i];
        if (!is_packable(part, in_file) || picked->bytes + part->n > PACK_BYTES_MAX)
            continue;
        *vec_push(picked) = part;
        picked->bytes += part->n;
        picked->code += part->code_n;
    }
}

static void numbers_copy(struct numbering *to, const struct numbering *from)
{
    vec_room(to, from->n + 1);
    for (size_t i = 0; i < from->n; i++)
        *vec_push(to) = from->at[i];
}

void kept_pack_make(struct kept_packs *packs, const struct kept_picked *picked,
                    const struct numbering *in_file, const atomic_bool *waits)
{
    struct encoder encoder = {.zstd = ZSTD_createCCtx(), .cuts.gives_up = waits};
    struct kept_parts parts = {0};
    vec_room(&parts, picked->n + 1);
    for (size_t i = 0; i < picked->n; i++)
        *vec_push(&parts) = *picked->at[i];
    encode_kept(&encoder, &parts, in_file);
    if (!atomic_load(waits)) {
        struct kept_pack *pack = vec_push(packs);
        bytes_add(&pack->chunks, encoder.out.at, encoder.out.n);
        numbers_copy(&pack->in_file, in_file);
        for (size_t i = 0; i < picked->n; i++)
            picked->at[i]->packed = true;
    }
    ZSTD_freeCCtx(encoder.zstd);
    encoder_release(&encoder);
    vec_release(&parts);
}

static bool fits(const struct numbering *then, const struct numbering *now)
{
    for (size_t i = 0; i < then->n; i++)
        if (i >= now->n || then->at[i] != now->at[i])
            return false;
    return true;
}

bool kept_packs_fit(const struct kept_packs *packs, const struct numbering *in_file)
{
    for (size_t i = 0; i < packs->n; i++)
        if (!fits(&packs->at[i].in_file, in_file))
            return false;
    return true;
}

void kept_packs_release(struct kept_packs *packs)
{
    for (size_t i = 0; i < packs->n; i++) {
        vec_release(&packs->at[i].chunks);
        vec_release(&packs->at[i].in_file);
    }
    vec_release(packs);
}
