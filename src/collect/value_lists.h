/* The most frequent values of each place, out of what windows recorded: results, operands, addresses, sizes.
 *
 * A place has a list of a few values and counts each for certain from when it came in (stream/hotlist.h). When a
 * batch of walks is closed, what the lists have become surer of since the last goes into it: a value that has been seen once, or rarely among
 * others, is no more than a number, and is not told. Of all that a place was seen with, a row tells how much it was. */
#pragma once

#include "base/vec.h"
#include "collect/value_places.h"
#include "collect/value_stream.h"
#include "profile/batch.h"
#include "stream/hotlist.h"

struct value_list {
    struct hotlist hot; /* of sightings, in 2^-VALUE_BITS */
    uint64_t told_total;
    uint64_t window,
        windows; /* the last that it was seen in; in how many, since it was last told */
    uint32_t n_told;
    uint32_t messages; /* with a compressor: of this place */
    bool settled;      /* and whether they say nothing new */
    double share;      /* of its most frequent value, when that was looked at */
    struct told {
        uint64_t value, error, count;
    } told[HOTLIST_VALUES]; /* of those values that were in the list then: how much of each */
};

struct value_lists {
    uint64_t window; /* counts them */
    uint32_t weight; /* of its values */
    struct value_places places;
    struct value_stream *stream; /* NULL: values come as they are */
    struct {
        VEC(struct value_list);
    } lists; /* by place */
    struct {
        VEC(uint32_t);
    } touched; /* since they were last told */
};

void value_lists_init(struct value_lists *lists, const struct units *units);
void value_lists_release(struct value_lists *lists);
/* A value weighs so many sixteenths of a sighting. False: the words are not what the exits say. */
bool value_lists_take(struct value_lists *lists, const struct payload_window *window,
                      uint32_t weight);
/* Values that are none of the payload's: of which place, and so many 2^-VALUE_BITS of a sighting of one in the window that was taken last. They
 * do not go through a compressor. */
uint32_t value_lists_place(struct value_lists *lists, struct place at, uint32_t kind);
void value_lists_see(struct value_lists *lists, uint32_t place, uint64_t value, uint64_t sightings);
void value_lists_flush(struct value_lists *lists, struct batch *batch);
