/* How often loops go round, from streams of exits.
 *
 * A run of a circuit (consumers/circuits.h) begins when control arrives in it from outside and ends
 * when it leaves it, or when the function returns; calls do not leave it. Its iterations are one
 * more than the jumps back to its head that were taken. Nothing is known of what lies before a
 * stream begins and behind its end: runs that reach there are counted apart (enum trip_how).
 *
 * A stream is a window of a sampled walk, or a whole thread: whoever has one feeds it to a
 * trip_walk of its own. Runs go to a batch, each with the weight that its stream has at the time.
 */
#pragma once

#include "consumers/circuits.h"
#include "profile/batch.h"

enum { TRIPS_FEW = 16 }; /* iterations whose keys are found without a search */

/* What an exit's superblock goes through up to it: circuits, in order, without those in between
 * where none is. */
struct trip_exit {
    uint32_t version; /* of the circuits */
    uint32_t first;   /* CIRCUIT_NONE: none at all */
    uint32_t more;    /* the others: index in steps */
    uint16_t n_more;
    uint8_t at_head; /* the first step starts where its circuit does */
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
    } steps; /* of exits of this version */
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
        VEC(struct trip_run); /* of all frames: each a root and what of it is around the place */
    } runs;
    struct trip_frames {
        VEC(struct trip_frame {
            uint32_t first; /* of its runs */
            bool known;     /* whether its beginning was seen */
        });
    } frames; /* of callers; the innermost is `frame` */
    struct trip_frame frame;
    uint32_t top; /* circuit of the last run of the innermost frame, or CIRCUIT_NONE */
    uint64_t weight;
};

void trips_init(struct trips *trips, struct units *units, struct batch *batch);
void trips_release(struct trips *trips);
void trip_walk_release(struct trip_walk *walk);

/* Starts a stream whose past is not known. */
void trips_begin(struct trip_walk *walk, uint64_t weight);
/* All exits must be known to the units, each starting where the one before went. */
void trips_exits(struct trips *trips, struct trip_walk *walk, const uint32_t *exits, size_t n);
/* Ends it; `end` is where the last exit went, NULL: not known. */
void trips_end(struct trips *trips, struct trip_walk *walk, const struct place *end);
