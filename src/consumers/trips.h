/* How many iterations runs of loops have, from streams of exits.
 *
 * A run of a circuit (consumers/circuits.h) begins when control enters it from outside and ends
 * when it leaves it, or when the function returns; calls do not leave it. It has one more iteration
 * than jumps back to its head. What precedes a stream and what follows it is not known: runs that
 * reach there are counted separately (enum trip_how).
 *
 * A stream is a sampled window, or a whole thread, and has a trip_walk of its own. Runs go to a
 * batch, with the weight of their stream. */
#pragma once

#include "consumers/circuits.h"
#include "profile/batch.h"

enum { TRIPS_FEW = 16 }; /* numbers of iterations whose keys are found without a search */

/* The circuits that an exit's superblock runs through up to the exit, in order. */
struct trip_exit {
    uint32_t version; /* of the circuits */
    uint32_t first;   /* CIRCUIT_NONE: none */
    uint32_t more;    /* the others: first index in steps */
    uint16_t n_more;
    uint8_t at_head; /* the first step starts at the head of its circuit */
    uint8_t end;     /* enum trip_exit_end */
};

struct trips {
    struct units *units;
    struct batch *batch;
    struct circuits circuits;
    struct {
        VEC(struct trip_exit);
    } exits; /* by exit id */
    struct {
        VEC(uint32_t);
    } steps;
    uint32_t steps_version;
    struct {
        VEC(struct trip_few { uint32_t index[TRIPS_FEW]; });
    } few; /* by circuit: index in the batch + 1 of whole runs of 1, 2 ... iterations */
};

struct trip_run {
    uint32_t circuit;
    bool late; /* it began before the stream */
    uint64_t n;
};

/* One stream. */
struct trip_walk {
    struct trip_runs {
        VEC(struct trip_run); /* of all frames: the root, and the circuits around the place */
    } runs;
    struct trip_frames {
        VEC(struct trip_frame {
            uint32_t first; /* run */
            bool known;     /* its beginning was seen */
        });
    } frames; /* of callers; the innermost frame is `frame` */
    struct trip_frame frame;
    uint32_t top; /* circuit of the innermost run, or CIRCUIT_NONE */
    uint64_t weight;
};

void trips_init(struct trips *trips, struct units *units, struct batch *batch);
void trips_release(struct trips *trips);
void trip_walk_release(struct trip_walk *walk);

/* Starts a stream; what precedes it is not known. */
void trips_begin(struct trip_walk *walk, uint64_t weight);
/* All exits must be known to the units, and each must start where the one before went. */
void trips_exits(struct trips *trips, struct trip_walk *walk, const uint32_t *exits, size_t n);
/* Ends it. `end`: the target of the last exit; NULL: not known. */
void trips_end(struct trips *trips, struct trip_walk *walk, const struct place *end);
