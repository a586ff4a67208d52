/* A stream of tuples through a compressor: how wrong the profile of its messages is, and how many
 * they are.
 *
 * The error is that of invariances: of places that occur 1,000 times, the tuples that have a tenth
 * of their place, if they have two fifths of it together; the mean difference of the shares,
 * weighed by how often the tuple occurs. A place without a message has shares of 0. */
#pragma once

#include "lab/streams/tuples.h"

struct design;

struct stream_trial {
    double error; /* of 1; not a number: nothing to be wrong about */
    uint64_t messages;
    uint64_t left_out; /* tuples that the design's `converge` kept from the compressor */
    double spread;     /* standard deviation of the error between runs; 0: there is one */
};

/* Run number `run`, from 0: others begin a little later in the stream, and draw other numbers.
 * `kinds`: bits of enum tuple_kind that the error is about; all go through the compressor. `ends`:
 * n numbers of tuples, rising; a trial of each. */
void stream_trials(const struct tuples *tuples, uint32_t kinds, const struct design *design,
                   uint32_t run, const size_t *ends, size_t n, struct stream_trial *trials);

/* What of the first `end` tuples the error is about. */
struct stream_kept {
    uint64_t executions, places; /* of places that are kept */
};
struct stream_kept stream_kept(const struct tuples *tuples, size_t end);
