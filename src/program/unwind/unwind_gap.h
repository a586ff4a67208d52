/* A stretch of code that no entry describes, read function by function as it is asked for.
 *
 * What reading tells of a function whose symbol says where it ends hangs on nothing outside of it,
 * unless symbols overlap: then all that do are read together. Code without such a symbol may be
 * called from anywhere in the stretch, of which all functions are read then, up to a limit. */
#pragma once

#include "program/unwind/unwind.h"
#include "program/unwind/unwind_derive.h"

struct image;

struct unwind_gap {
    const struct image *image; /* must outlive this */
    struct svma low, high;
    struct derive_functions functions;
    struct gap_reaches {
        VEC(uint64_t); /* [i]: where the first i + 1 functions end */
    } reaches;
    struct unwind *all; /* what reading everything told; NULL: not made */
};

/* Reads the symbols of [low, high). */
void unwind_gap_init(struct unwind_gap *gap, const struct image *image, struct svma low,
                     struct svma high);
void unwind_gap_release(struct unwind_gap *gap);

/* Functions that overlap, or one that none does. */
struct gap_part {
    struct svma start, end; /* has the address that was asked for */
    size_t first, n;        /* of the gap's functions; n is 0: no symbol says whose code this is */
};
struct gap_part unwind_gap_part(const struct unwind_gap *gap, struct svma at);
/* What reading its functions tells of a part. */
void unwind_gap_read(const struct unwind_gap *gap, const struct gap_part *part,
                     struct unwind *ret_unwind);
/* What reading all of them tells. Made once. */
const struct unwind *unwind_gap_all(struct unwind_gap *gap);
