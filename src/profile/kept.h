/* What a profile keeps of the files of its modules, so that views need neither the files nor their
 * debug information: parts, each known by its module, kind and address. What is in a part, only
 * src/keep reads and writes; here they are bytes.
 *
 * Parts of one key come from the same build and say the same, or one of them says more: of two, the
 * longer is kept. So merging in any order gives the same. */
#pragma once

#include "base/memory.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum kept_kind {
    KEPT_MODULE,   /* headers of the file; at: 0 */
    KEPT_FUNCTION, /* name, code, lines and inlined functions; at: its entry */
    KEPT_DATA,     /* constants that code refers to; at: the first byte */
    KEPT_OWN,      /* the same by the symbols of the file alone, if a debug file has others: paths
                      are numbered by these */
    KEPT_SOURCE,   /* text of a source file; at: hash of its path */
    KEPT_KINDS
};
/* A longer part is not kept: chunks are limited. */
enum { KEPT_BYTES_MAX = 1 << 23 };

/* What of modules' files a recording is to keep. */
struct keep_wish {
    bool none;
    bool all;      /* however long it takes */
    bool sources;  /* texts of source files, too */
    bool no_paths; /* nobody will ask for paths */
};

struct kept_part {
    uint32_t module; /* of the profile */
    uint32_t kind;   /* enum kept_kind, or one of a newer gait */
    uint64_t at;
    size_t n;
    const uint8_t *bytes;
    size_t code_at, code_n; /* which of its bytes are machine code, if any: a hint that makes files
                               smaller */
    bool packed;            /* in chunks that were made ahead (profile/file/kept_pack.h) */
};
struct kept_parts {
    VEC(struct kept_part); /* by module, kind, at; unique, but for what is being added */
};

/* Copies the bytes. The parts are sorted later, by kept_sort. */
void kept_add(struct kept_parts *kept, struct arena *arena, const struct kept_part *part);
/* Moves parts and the arena that their bytes are in. */
void kept_join(struct kept_parts *kept, struct arena *arena, struct kept_parts *other,
               struct arena *other_arena);
void kept_sort(struct kept_parts *kept);
/* The parts of a module and kind: *ret_n of them from the returned one on. */
const struct kept_part *kept_of(const struct kept_parts *kept, uint32_t module, enum kept_kind kind,
                                size_t *ret_n);
