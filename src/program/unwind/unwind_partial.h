/* Unwind rules of one image, function by function, on demand.
 *
 * Compiling a whole table takes 2 ms for a C library and 40 ms for a compiler. That is what a
 * recording at 1 % may cost in 4 seconds. Linkers write a sorted index of all entries for exception
 * handling (.eh_frame_hdr). With it, the entry of one function is found and compiled alone, in
 * microseconds. Without an index, or for an address that it lacks, the remaining entries are found
 * and sorted once and compiled one by one. Code without entries is read: only the function around
 * an address, if a symbol gives its bounds (unwind_gap.h). Unnamed code may be called from
 * anywhere: for a small image the whole table is made, for a large one only the stretch without
 * entries is read. */
#pragma once

#include "base/vec.h"
#include "program/unwind/unwind.h"
#include "program/unwind/unwind_entries.h"

#include <stdbool.h>

struct image;

struct unwind_partial {
    const struct image *image; /* must outlive this */
    struct svma header;        /* of the index; its rows are relative to it */
    const uint8_t *rows;       /* two 32-bit words each: start of the code, place of its entry */
    size_t n_rows;
    struct svma section; /* the entries themselves */
    const uint8_t *bytes;
    size_t n_bytes;
    struct unwind_entries others; /* entries that the index lacks; sorted */
    bool others_read;
    struct unwind *whole;          /* NULL: not made */
    VEC(struct unwind_function *); /* requested so far, by start */
    struct unwind_gaps {
        VEC(struct unwind_gap *); /* requested so far, in the order of requests */
    } gaps;
};

/* Reads only the head of the index. */
void unwind_partial_init(struct unwind_partial *partial, const struct image *image);
void unwind_partial_release(struct unwind_partial *partial);

/* A table with all rules known for this address. Its address does not change. */
const struct unwind *unwind_partial_at(struct unwind_partial *partial, struct svma at);
