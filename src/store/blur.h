/* What a profile loses when it becomes a part of a sum over machines. */
#pragma once

struct profile;

/* Takes out when within the recording things happened, single windows and samples, parts of windows
 * that paths are searched in, and what is of one recording alone: its command becomes the name of
 * the service, if that is not NULL. Half of a sampled recording. */
void profile_compact(struct profile *profile, const char *service);

/* Takes out what grows with the number of recordings: threads and processes (stacks then begin at
 * one thread, which has the name of the service), when things happened, single windows and samples,
 * commands, and facts that differ between machines. Counts and their intervals stay as they are. */
void profile_blur(struct profile *profile, const char *service);
