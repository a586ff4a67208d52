/* Conflicts between memory accesses, out of windows that have addresses: one stretch of each
 * window, at a random place, is run through flight.h, and its accesses through sharing.h. What is
 * found goes into the batch, with how often each place was looked at.
 *
 * Pairs are bounded in number: those that come when there are CONFLICTS_PAIRS are counted as
 * crowded. Code without a file, as made by the process itself, ends a stretch. */
#pragma once

#include "base/vec.h"
#include "values/flight.h"
#include "process/images.h"
#include "values/payloads.h"
#include "values/sharing.h"
#include "profile/batch.h"
#include "compress/random.h"

enum { CONFLICTS_PAIRS = 1 << 16 };

/* An instruction of a superblock. */
struct conflict_code {
    struct flight_step step;
    struct place at;
    uint32_t executed; /* its row in the batch, MAP_NONE: none yet */
    uint64_t window;   /* the last that it was seen in */
};

struct conflicts {
    const struct units *units;
    struct batch *batch; /* gets what is found */
    struct random random;
    uint64_t window; /* counts them, from 1 */
    uint64_t tsc;    /* of the window */
    struct {
        VEC(struct conflict_code);
    } code;
    struct {
        VEC(uint32_t);
    } blocks; /* as units->superblocks: one more than its first instruction; 0: not yet read */
    struct images images;
    struct flight *flight;
    uint32_t course[FLIGHT_STEPS]; /* of the stretch: instructions, in code */
    struct sharing sharing;
    uint64_t stretches, instructions; /* looked at */
    uint64_t crowded;                 /* conflicts of pairs that have no row */
    uint64_t unread;                  /* stretches that ended at code that cannot be read */
};

void conflicts_init(struct conflicts *conflicts, const struct units *units, struct batch *batch);
void conflicts_release(struct conflicts *conflicts);

/* A window whose length is right; tsc is when it was. */
void conflicts_window(struct conflicts *conflicts, const struct payload_window *window,
                      uint64_t tsc);
