/* How fast code runs, by where it is: instructions per tick, learned from the windows that were
 * timed, for those that were not.
 *
 * Timing can cost more than recording, so not all walks are timed. What runs in the same loop, for
 * as much of the time, runs at the same speed: a window's place is the superblock in which most of
 * its instructions ran, and how many did.
 *
 * Single timings scatter: an interrupt leaves the caches cold, and other programs use them, too. So
 * a place leans on its page, and a page on the whole program, by as many timings as make chance
 * equal to the difference between places: where that is all chance every window runs at the mean,
 * where places differ tenfold each has its own rate after a timing or two.
 *
 * What is not chance may still not be the program's: a trail fetches its copies anew, and where
 * much different code is met that is a good part of its time. Timings repeat well there, and places
 * differ by it, but natively they do not. So of the difference between a place and the mean the
 * less is believed the more different exits windows meet. */
#pragma once

#include "base/map.h"
#include "base/vec.h"

#include <stdint.h>

struct rate_place {
    uint64_t start; /* avma of the superblock */
    uint64_t share; /* of the window that ran there, in sixteenths */
};

struct rate_sum {
    uint64_t sum, n;
};

/* Squared deviations: of timings from the mean of all, and from that of their own place. */
struct rate_scatter {
    double all, inside;
    uint64_t inside_n; /* degrees of freedom of the latter */
};

struct rates {
    struct map keys; /* places, and pages */
    VEC(struct rate_sum);
    struct rate_sum all;
    struct rate_sum variety; /* different exits of windows, whether timed or not */
    struct rate_scatter scatter;
};

void rates_init(struct rates *rates);
void rates_release(struct rates *rates);
void rates_add(struct rates *rates, const struct rate_place *place, uint64_t rate);
/* One more window, that met so many different exits. */
void rates_meet(struct rates *rates, uint64_t exits);
/* What a window of that place is expected to run at; `unknown` before anything was timed. */
uint64_t rates_expect(const struct rates *rates, const struct rate_place *place, uint64_t unknown);
