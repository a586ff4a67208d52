/* Unwind rules of one image, function by function, as they are asked for.
 *
 * Compiling a whole table takes 2 ms for a C library and 40 for a compiler: as much as a recording
 * at 1 % may cost in 4 seconds. Linkers write a sorted index of all entries for those who throw
 * exceptions (.eh_frame_hdr), by which the one of a function is found and compiled alone, in
 * microseconds. Where there is no such index, or where it has nothing about an address, the other
 * entries are found and sorted, once, and each is compiled as it is asked for. Code that none has
 * is read, the function around an address alone where its symbol tells what that is (unwind_gap.h).
 * Code without a name may be called from anywhere: of a small image the whole table is made then,
 * of a large one no more is read than the stretch without entries around it. */
#pragma once

#include "base/vec.h"
#include "program/unwind/unwind.h"
#include "program/unwind/unwind_entries.h"

#include <stdbool.h>

struct image;

struct unwind_partial {
    const struct image *image; /* must outlive this */
    struct svma header;        /* of the index, which its rows count from */
    const uint8_t *rows; /* each two words of 32 bits: where code starts, where its entry is */
    size_t n_rows;
    struct svma section; /* the entries themselves */
    const uint8_t *bytes;
    size_t n_bytes;
    struct unwind_entries others; /* that the index does not have; sorted */
    bool others_read;
    struct unwind *whole;          /* NULL: not made */
    VEC(struct unwind_function *); /* those that were asked for, by start */
    struct unwind_gaps {
        VEC(struct unwind_gap *); /* likewise, in the order of asking */
    } gaps;
};

/* Reads nothing but the head of the index. */
void unwind_partial_init(struct unwind_partial *partial, const struct image *image);
void unwind_partial_release(struct unwind_partial *partial);

/* A table that has whatever is known about code at this address. Stays where it is. */
const struct unwind *unwind_partial_at(struct unwind_partial *partial, struct svma at);
