/* Chunks of kept parts that are made ready while a recording goes on, so that its end need not
 * compress them: writing code in columns takes longer than somebody should wait. */
#pragma once

#include "base/bytes.h"
#include "profile/file/row.h"
#include "profile/kept.h"

#include <stdatomic.h>

/* What compressing code in columns takes, for each byte of code: Zen 5. */
enum { KEPT_BYTE_NS = 40 };

struct kept_pack {
    struct bytes chunks;
    struct numbering in_file; /* of the modules then */
};
struct kept_packs {
    VEC(struct kept_pack);
};

/* Parts that are to become a pack. */
struct kept_picked {
    VEC(struct kept_part *);
    uint64_t bytes, code; /* theirs */
};

/* Adds those with code that are not packed yet, up to so much code: of modules with a number. */
void kept_pick(struct kept_picked *picked, struct kept_parts *parts, uint64_t code_most,
               const struct numbering *in_file);
/* They are packed from now on, unless it becomes true while they are compressed that somebody
 * waits: then nothing was done. */
void kept_pack_make(struct kept_packs *packs, const struct kept_picked *picked,
                    const struct numbering *in_file, const atomic_bool *waits);
/* Whether the modules still have these numbers. */
bool kept_packs_fit(const struct kept_packs *packs, const struct numbering *in_file);
void kept_packs_release(struct kept_packs *packs);
