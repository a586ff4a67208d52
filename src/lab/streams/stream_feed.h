/* Sends a file's tuples through a design, a few at a time. */
#pragma once

#include "compress/compressor.h"
#include "compress/converged.h"
#include "lab/streams/tuples.h"

enum { STREAM_CHUNK = 256, STREAM_MESSAGES = STREAM_CHUNK + ASSOCIATIVE_MAX };
#define STREAM_FED SIZE_MAX

struct stream_feed {
    const struct tuples *tuples;
    size_t from, at; /* in the file: where this run began, and the next tuple */
    uint64_t left_out;
    struct habits habits;
    struct message messages[STREAM_MESSAGES];
    struct compressor compressor;
};

/* Run number `run`, from 0, of this design: others begin a little later, and draw other numbers. */
struct stream_feed *stream_feed_open(const struct tuples *tuples, const struct design *design,
                                     uint32_t run);
void stream_feed_close(struct stream_feed *feed);
/* Takes up to STREAM_CHUNK tuples, and no more than `end` of this run. Returns the number of
 * messages; STREAM_FED: there was nothing to take. */
size_t stream_feed_step(struct stream_feed *feed, size_t end);
/* Takes one. */
size_t stream_feed_one(struct stream_feed *feed);
