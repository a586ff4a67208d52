/* Ticks along paths, of which some passages were measured, as bursts that the processor could
 * overlap (consumers/burst_fit.h).
 *
 * Writing down which paths a burst has takes a few ticks for each passage: no more than the
 * shortest passage takes with it, and as much again around each call. A long chain (divisions)
 * hides all of that, work that fills the processor none: so the interval reaches from what is left
 * without it to what was measured, and the estimate lies in between, nearer to what was measured
 * the longer that is: as low as makes the sum the CPU time, if that is known, else as low as
 * possible. The program's own CPU time shows if that is much: where all paths together have more
 * than it, the excess is taken off, evenly for each look. CPU time before the program began and
 * that of making code do not count; if not all that ran was on paths, only the paths' share of the
 * instructions does. */
#pragma once

#include "analysis/counts/estimate.h"

struct path_clock {
    bool some;      /* of passages some were measured: */
    double raw;     /* what was measured, scaled to all passages, by the CPU time */
    double look;    /* ticks that are taken off for each look */
    double writing; /* ticks that writing a passage down takes at most, for each look */
    double taken;   /* and that were taken off the estimates for it */
    bool brief;     /* the run was too short for its CPU time to tell anything */
};

struct path_clock path_clock_find(const struct profile *profile);

/* Of all passages of a path of an exact profile; not numbers: none was measured. */
struct estimate path_clock_ticks(const struct path_clock *clock, const struct profile *profile,
                                 const struct path_key *ran, const struct sums *sums,
                                 uint64_t *ret_measured);
/* Along all paths. */
double path_clock_sum(const struct path_clock *clock, const struct profile *profile);
