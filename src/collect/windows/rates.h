/* How fast code runs, by place: instructions per tick, learned from timed windows, for all windows.
 *
 * Timing can cost more than recording, so only some walks are timed. Windows that spend as much of
 * their time in the same loop run at the same speed. So a window's place is the superblock in which
 * most of its instructions ran, and their share.
 *
 * Single timings scatter: an interrupt leaves the caches cold, and other programs use them, too. So
 * the estimate of a place leans on its page, and that of a page on the whole program, by as many
 * timings as make chance equal to the difference between places. If the difference is all chance,
 * every window runs at the mean. If places differ tenfold, each has its own rate after a timing or
 * two.
 *
 * Some differences between places repeat and are still not the program's: a trail fetches its
 * copies anew, which takes a good part of its time where windows meet much different code. Natively
 * it does not. So the more different exits windows meet, the less of the difference between a place
 * and the mean is believed. */
#pragma once

#include "base/map.h"
#include "base/vec.h"

#include <stdint.h>

struct rate_place {
    uint64_t start; /* avma */
    uint64_t share; /* of the window, in sixteenths */
};

struct rate_sum {
    uint64_t sum, n;
};

/* Squared deviations of timings: from the mean of all, and from the mean of their place. */
struct rate_scatter {
    double all, inside;
    uint64_t inside_n; /* degrees of freedom of `inside` */
};

struct rates {
    struct map keys; /* places, and pages */
    VEC(struct rate_sum);
    struct rate_sum all;
    struct rate_sum variety; /* different exits of windows, timed or not */
    struct rate_scatter scatter;
};

void rates_init(struct rates *rates);
void rates_release(struct rates *rates);
void rates_add(struct rates *rates, const struct rate_place *place, uint64_t rate);
/* One more window, with so many different exits. */
void rates_meet(struct rates *rates, uint64_t exits);
/* The expected rate of a window at that place; `unknown` before anything was timed. */
uint64_t rates_expect(const struct rates *rates, const struct rate_place *place, uint64_t unknown);
