/* Ticks along paths, where some passages were measured in bursts that the processor could overlap
 * (consumers/burst_fit.h).
 *
 * Recording the paths of a burst takes a few ticks per passage: at most what the shortest passage
 * takes, and as much again around each call. A long dependence chain (divisions) hides that cost;
 * code that fills the processor hides none of it. So the interval reaches from the measured ticks
 * without that cost to the measured ticks. The estimate lies between, closer to the measured ticks
 * for longer passages. It is as low as makes the sum the CPU time, if that is known, else as low
 * as possible.
 *
 * If all paths together exceed the program's CPU time, the excess is subtracted, evenly per clock
 * read. CPU time before the program began, and that of translation, do not count. If part of the
 * run was not on paths, only the paths' share of the instructions counts. */
#pragma once

#include "analysis/counts/estimate.h"

struct path_clock {
    const char *event; /* that was counted in place of ticks (record --metric); NULL: none */
    bool some;         /* of passages some were measured: */
    double raw;        /* what was measured, scaled to all passages, by the CPU time */
    double look;       /* ticks that are taken off for each look */
    double writing;    /* ticks that writing a passage down takes at most, for each look */
    double taken;      /* and that were taken off the estimates for it */
    bool brief;        /* the run was too short for its CPU time to tell anything */
};

struct path_clock path_clock_find(const struct profile *profile);

/* Of all passages of a path of an exact profile; not numbers: none was measured. */
struct estimate path_clock_ticks(const struct path_clock *clock, const struct profile *profile,
                                 const struct path_key *ran, const struct sums *sums,
                                 uint64_t *ret_measured);
/* Along all paths. */
double path_clock_sum(const struct path_clock *clock, const struct profile *profile);
