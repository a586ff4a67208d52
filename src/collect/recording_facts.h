/* What a profile says of its recording: how it was asked for, what the agent found, what it took.
 */
#pragma once

struct drain;
struct profile;
struct recording_options;

/* Before the program runs: makes the profile. */
void facts_first(struct profile *head, const struct recording_options *options);
/* When a process has told its clock. */
void facts_agent(struct profile *profile, const struct recording_options *options,
                 const struct drain *drain);
/* When all is over. */
void facts_last(struct profile *profile, const struct recording_options *options,
                struct drain *drain);
