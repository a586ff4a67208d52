/* What a profile loses when it becomes a part of a sum over machines. */
#pragma once

struct profile;

/* Takes out when within the recording things happened, single windows and samples, and parts of
 * windows that paths are searched in: half of a sampled recording. */
void profile_compact(struct profile *profile);

/* Takes out what grows with the number of recordings: threads and processes (stacks then begin at
 * one thread, which has the name of the service), when things happened, single windows and samples,
 * commands, and facts that differ between machines. Counts and their intervals stay as they are. */
void profile_blur(struct profile *profile, const char *service);
