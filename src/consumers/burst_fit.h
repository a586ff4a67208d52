/* What a passage along each path takes, of bursts of passages that were timed as a whole
 * (wire_burst, wire/plan.h).
 *
 * A processor overlaps neighbouring passages, so a passage that is timed alone, between fences,
 * tells the most that it can take, not what it takes. A burst is timed while it runs as it always
 * does: its ticks are the sum of what its passages take. Bursts differ in how many of each path
 * they have; least squares over all of them tell paths apart.
 *
 * Where mixtures hardly differ (two paths by turns), bursts know the sum only. So each path begins
 * with a guess: its time alone, cut down as much as all of the bursts that it is in. Where bursts
 * take as long as their passages alone, nothing overlaps and the guess is good; the shorter they
 * are, the less it says. A guess stands for what it does not know: its deviation is what was cut
 * off. The result is the mean and the deviation of what is possible, given both. */
#pragma once

#include "base/vec.h"

#include <stdint.h>

struct burst_part {
    uint32_t path; /* its number here */
    double passages;
};

struct burst {
    double ticks;
    uint32_t first, n; /* of its parts */
};

struct burst_path {
    double alone; /* ticks of one passage between fences; not a number: not known */
    /* What comes out. */
    double ticks, deviation; /* of one passage */
    uint64_t bursts;         /* with any of them that were used */
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
/* Fills in what comes out, of paths that are in any burst. */
void burst_fit_solve(struct burst_fit *fit);
