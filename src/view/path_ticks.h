/* Ticks along paths, of which some passages were measured, as bursts that the processor could overlap (course/burst_fit.h).
 *
 * Writing down which paths a burst has takes a few ticks for each passage. The program's own CPU time shows if that is much: where all paths together have more than it, the excess is taken
 * off, evenly for each look. CPU time before the program began and that of making code do not count; if not all that ran was on paths, only the paths' share of the instructions does. */
#pragma once

#include "view/estimate.h"

struct path_clock {
    bool some;   /* of passages some were measured: */
    double raw;  /* what was measured, scaled to all passages, by the CPU time */
    double look; /* ticks that are taken off for each look */
};

struct path_clock path_clock_find(const struct profile *profile);

/* Of all passages of a path of an exact profile; not numbers: none was measured. */
struct estimate path_clock_ticks(const struct path_clock *clock, const struct profile *profile,
                                 const struct path_key *ran, const struct sums *sums,
                                 uint64_t *ret_measured);
/* Along all paths. */
double path_clock_sum(const struct path_clock *clock, const struct profile *profile);
