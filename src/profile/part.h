/* A part of the run: what a sampled profile of that part alone would be. */
#pragma once

#include "profile/times.h"

struct err;
struct profile;

/* Leaves in the profile what was sampled in that part of the run, widened to whole slices
 * (profile->part). Tables are those of the batches whose middle lies in the part, or if there is
 * none, of those that overlap it (profile->part_counts: which part of the run that is); so are
 * paths. Windows are those that began in the part. Totals are shared as the weights are, where
 * nothing else is known. A profile without a log of its batches (batch_log.h) becomes a plain one:
 * it has stacks alone. Fails, and changes nothing, if the profile has no times or nothing was
 * sampled then. */
bool profile_weigh_part(struct profile *profile, struct time_part wanted, struct err *err);

/* The same for waits alone (profile->part_waits): those that ended in the part, with the time that
 * they lasted in it. There may be no samples. */
bool profile_weigh_part_waits(struct profile *profile, struct time_part wanted, struct err *err);

/* When a tick of the time stamp counter was, in Unix time. */
struct tick_clock {
    uint64_t tsc, unix_ns; /* the same moment */
    double hz;
};
/* False: the profile does not say; after a merge, several contradict each other. */
bool tick_clock_read(const struct profile *profile, struct tick_clock *ret_clock);
uint64_t tick_clock_unix(const struct tick_clock *clock, uint64_t tsc);
