/* The most frequent values of each place, out of what windows recorded: results, operands,
 * addresses, sizes.
 *
 * A place counts its values (value_counts.h), each for certain no more often than it was seen. When
 * a batch of walks is closed, what the counts have grown by since the last goes into it: a value
 * that has been seen once, or rarely among others, is no more than a number, and is not told. Of
 * all that a place was seen with, a row tells how much it was.
 *
 * Where order does not matter, windows wait until there are enough of them to be counted place by
 * place (value_chunk.h). */
#pragma once

#include "base/vec.h"
#include "values/value_chunk.h"
#include "values/value_counts.h"
#include "values/value_places.h"
#include "values/value_stream.h"
#include "profile/batch.h"

/* A value that has a row. */
struct value_told {
    uint64_t value, count; /* how much of it is in the row */
    uint32_t row;          /* in the batch; MAP_NONE: not looked up */
};

struct value_list {
    struct value_counts counts; /* of sightings, in 2^-VALUE_BITS */
    uint64_t seen;              /* in which windows of the chunk: a bit for each */
    uint32_t windows;           /* in how many before, since it was last told */
    uint32_t row;               /* of all its values; MAP_NONE: not looked up */
    uint32_t messages;          /* with a compressor: of this place */
    bool settled;               /* and whether they say nothing new */
    double share;               /* of its most frequent value, when that was looked at */
    uint64_t told_total;
    struct {
        VEC(struct value_told);
    } told;
};

struct value_lists {
    uint64_t window;    /* counts them */
    uint32_t weight;    /* of its values */
    uint32_t n_windows; /* of the chunk */
    bool ordered;       /* values are counted as they come */
    struct value_chunk chunk;
    struct value_places places;
    struct value_stream *stream; /* NULL: values come as they are */
    struct {
        VEC(struct value_list);
    } lists; /* by place */
    struct {
        VEC(uint32_t);
    } touched;        /* since they were last told */
    uint64_t changes; /* of the mappings, by which rows were looked up */
};

void value_lists_init(struct value_lists *lists, const struct units *units);
void value_lists_release(struct value_lists *lists);
/* Takes the part of a window that counts, its first exits: a value weighs so many sixteenths of a
 * sighting. Afterwards all exits of the whole are known (value_places.h). False: the words are not
 * what the exits say. */
bool value_lists_take(struct value_lists *lists, const struct payload_window *whole,
                      const struct payload_window *counted, uint32_t weight);
/* One more window, whose values come one by one. */
void value_lists_begin(struct value_lists *lists);
/* Values that are none of the payload's, or a compressor's messages: of which place, and so many
 * 2^-VALUE_BITS of a sighting of one in the window that was taken last. They do not go through a
 * compressor. */
uint32_t value_lists_place(struct value_lists *lists, struct place at, uint32_t kind);
void value_lists_see(struct value_lists *lists, uint32_t place, uint64_t value, uint64_t sightings);
/* `last`: nothing will come any more, and what was not worth a row yet may be. */
void value_lists_flush(struct value_lists *lists, bool last, struct batch *batch);
