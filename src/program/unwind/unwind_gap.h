/* A stretch of code without entries, read function by function on demand.
 *
 * A function whose symbol gives its size can be read alone; overlapping symbols are read together.
 * Code without such a symbol may be called from anywhere in the stretch, so all its functions are
 * read, up to a limit. */
#pragma once

#include "program/unwind/unwind.h"
#include "program/unwind/unwind_derive.h"

struct image;

struct unwind_gap {
    const struct image *image; /* must outlive this */
    struct svma low, high;
    struct derive_functions functions;
    struct gap_reaches {
        VEC(uint64_t); /* [i]: end of the first i + 1 functions */
    } reaches;
    struct unwind *all; /* rules of the whole stretch; NULL: not made */
};

/* Reads the symbols of [low, high). */
void unwind_gap_init(struct unwind_gap *gap, const struct image *image, struct svma low,
                     struct svma high);
void unwind_gap_release(struct unwind_gap *gap);

/* A group of overlapping functions, or a single one. */
struct gap_part {
    struct svma start, end; /* includes the address in question */
    size_t first, n; /* index in the functions of the gap; n is 0: no symbol covers this code */
};
struct gap_part unwind_gap_part(const struct unwind_gap *gap, struct svma at);
/* Derives rules from the functions of a part. */
void unwind_gap_read(const struct unwind_gap *gap, const struct gap_part *part,
                     struct unwind *ret_unwind);
/* Rules from all functions of the gap. Made once. */
const struct unwind *unwind_gap_all(struct unwind_gap *gap);
