/* Conflicts between memory accesses, from windows with addresses. One stretch of each window, at a
 * random position, goes through flight.h, and its accesses through sharing.h. The results go into
 * the batch, with how often each place was examined.
 *
 * By callers (record --context): besides, each pair by where the functions of the two return to,
 * and how often each place was examined for each caller.
 *
 * The number of pairs is bounded: after CONFLICTS_PAIRS new ones are counted as crowded. Code
 * without a file, made by the process itself, ends a stretch. */
#pragma once

#include "base/vec.h"
#include "values/flight.h"
#include "process/images.h"
#include "values/payloads.h"
#include "values/sharing.h"
#include "values/window_calls.h"
#include "profile/batch.h"
#include "compress/random.h"

enum { CONFLICTS_PAIRS = 1 << 16 };

/* An instruction of a superblock. */
struct conflict_code {
    struct flight_step step;
    struct place at;
    uint32_t executed; /* row in the batch; MAP_NONE: none yet */
    uint64_t window;   /* the last window with it */
};

struct conflicts {
    const struct units *units;
    struct batch *batch;
    struct random random;
    uint64_t window; /* number, from 1 */
    uint64_t tsc;    /* of the window */
    struct {
        VEC(struct conflict_code);
    } code;
    struct {
        VEC(uint32_t);
    } blocks; /* as units->superblocks: index + 1 of its first instruction; 0: not read yet */
    struct images images;
    struct flight *flight;
    struct conflict_step {
        uint32_t code; /* index in code */
        struct place caller;
    } course[FLIGHT_STEPS]; /* of the stretch */
    bool by_callers;
    struct window_calls calls; /* of the window, so far */
    struct sharing sharing;
    uint64_t stretches, instructions; /* examined */
    uint64_t crowded;                 /* conflicts whose pair has no row */
    uint64_t unread;                  /* stretches that ended at unreadable code */
};

void conflicts_init(struct conflicts *conflicts, const struct units *units, struct batch *batch);
void conflicts_release(struct conflicts *conflicts);

/* A window at the time `tsc`. Its payload may have the wrong length: then it is left out. */
void conflicts_window(struct conflicts *conflicts, const struct payload_window *window,
                      uint64_t tsc);
