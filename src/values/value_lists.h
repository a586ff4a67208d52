/* The most frequent values of each place, from windows: results, operands, addresses, sizes.
 *
 * A place counts its values (value_counts.h), none of them too high. When a batch is closed, the
 * growth of the counts goes into it. A value that was seen once, or rarely among others, gets no
 * row of its own. One row of each place holds the sum over all its values.
 *
 * If a hotlist was asked for (record --hotlist), it has the values of a place in constant space.
 * Its estimates go up and down, so it is read when nothing more will follow.
 *
 * Where order does not matter, windows wait until there are enough to count them place by place
 * (value_chunk.h). Strides of addresses are counted at once (value_strides.h). */
#pragma once

#include "base/vec.h"
#include "compress/hotlist.h"
#include "values/value_chunk.h"
#include "values/value_strides.h"
#include "values/value_counts.h"
#include "values/value_places.h"
#include "values/value_stream.h"
#include "profile/batch.h"

/* A value with a row. */
struct value_told {
    uint64_t value, count; /* count: how much of it is in the row */
    uint32_t row;          /* in the batch; MAP_NONE: not looked up */
};

struct value_list {
    struct value_counts counts; /* in 2^-VALUE_BITS of a sighting */
    struct hotlist *hot;        /* has the values instead: counts has only their total; or NULL */
    uint64_t seen;              /* windows of the chunk with it: one bit each */
    uint32_t windows;           /* windows before those, since the last flush */
    uint32_t row;               /* sum of all its values; MAP_NONE: not looked up */
    uint32_t messages;          /* with a compressor: messages for this place */
    bool settled;               /* with a compressor: they say nothing new */
    double share;               /* of its most frequent value, when last computed */
    uint64_t told_total;
    struct {
        VEC(struct value_told);
    } told;
};

struct value_lists {
    uint64_t window;    /* number */
    uint32_t weight;    /* of its values */
    uint32_t n_windows; /* of the chunk */
    bool strided;       /* addresses have strides */
    struct value_strides strides;
    struct value_chunk chunk;
    struct value_places places;
    struct value_stream *stream; /* a compressor; NULL: none */
    struct {
        VEC(struct value_list);
    } lists; /* by place */
    struct {
        VEC(uint32_t);
    } touched;        /* since the last flush */
    uint64_t changes; /* of the mappings, when rows were looked up */
    uint32_t hotlist; /* enum hotlist_kind + 1; 0: values are counted */
    struct random random;
};

void value_lists_init(struct value_lists *lists, const struct units *units);
void value_lists_release(struct value_lists *lists);
/* Counts the part of a window that counts, its first exits; a value weighs so many 2^-VALUE_BITS of
 * a sighting. Afterwards all exits of the whole are known (value_places.h). False: the words do not
 * match the exits. */
bool value_lists_take(struct value_lists *lists, const struct payload_window *whole,
                      const struct payload_window *counted, uint32_t weight);
/* Begins a window whose values come one by one. */
void value_lists_begin(struct value_lists *lists);
/* Values from elsewhere than the payload: their place, and so many 2^-VALUE_BITS of a sighting in
 * the last window. They do not pass the compressor. */
uint32_t value_lists_place(struct value_lists *lists, struct place at, uint32_t kind);
void value_lists_see(struct value_lists *lists, uint32_t place, uint64_t value, uint64_t sightings);
/* `last`: nothing will follow, so more values get rows. */
void value_lists_flush(struct value_lists *lists, bool last, struct batch *batch);
