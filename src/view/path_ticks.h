/* Ticks along paths, of which some passages were measured (walk/passages.h).
 *
 * Measured are stretches between two looks at the clock, with nothing else under way at either. What looking takes was seen where two came one behind the other, and is off already.
 * What the processor would have done of what comes next meanwhile, and has to do now, is still in: so much a look, the more the shorter paths are. How much that is the program's
 * own CPU time tells, less that before it began and what making code took, and if not all that ran was on paths as much of it as there are instructions: the sum of all paths is that, as far as it is known. */
#pragma once

#include "view/estimate.h"

struct path_clock {
    bool some;   /* of passages some were measured: */
    double raw;  /* what was measured, scaled to all passages, by the CPU time */
    double look; /* ticks that are taken off for each look; less than nothing if too much was off */
};

struct path_clock path_clock_find(const struct profile *profile);

/* Of all passages of a path of an exact profile; not numbers: none was measured. */
struct estimate path_clock_ticks(const struct path_clock *clock, const struct profile *profile,
                                 const struct path_key *ran, const struct sums *sums,
                                 uint64_t *ret_measured);
/* Along all paths. */
double path_clock_sum(const struct path_clock *clock, const struct profile *profile);
