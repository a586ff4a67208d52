/* The time of a passage along each path, from bursts of passages that were timed as a whole
 * (wire_burst, wire/plan.h).
 *
 * A processor overlaps neighbouring passages. So a passage that is timed alone, between fences,
 * gives an upper limit, not its time. A burst is timed as it always runs: its ticks are the sum of
 * its passages' times. Bursts contain different numbers of each path; least squares over all bursts
 * separate the paths.
 *
 * Where bursts hardly differ (two paths in turn), they determine the sum only. So each path starts
 * from a guess: its time alone, scaled down as much as the bursts that contain it. If bursts take
 * as long as their passages alone, nothing overlaps and the guess is good; the shorter they are,
 * the less it says. The deviation of a guess is what was scaled off. The result is the mean and the
 * deviation of the possible times, given both. */
#pragma once

#include "base/vec.h"

#include <stdint.h>

struct burst_part {
    uint32_t path; /* index */
    double passages;
};

struct burst {
    double ticks;
    uint32_t first, n; /* parts */
};

struct burst_path {
    double alone; /* ticks of one passage between fences; NaN: not known */
    /* Results. */
    double ticks, deviation; /* of one passage */
    uint64_t bursts;         /* used bursts with this path */
    double passages;         /* in these */
};

struct burst_fit {
    struct {
        VEC(struct burst);
    } bursts;
    struct {
        VEC(struct burst_part);
    } parts;
    struct {
        VEC(struct burst_path);
    } paths;
};

void burst_fit_release(struct burst_fit *fit);
/* Fills in the results of all paths that are in a burst. */
void burst_fit_solve(struct burst_fit *fit);
