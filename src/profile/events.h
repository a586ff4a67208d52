/* Samples of several events. Those of the first are profile->stacks, as ever, and its name is the
 * fact "event". If it is a clock, there is no such fact: weights are CPU time, and the clock's name
 * is the fact "clock", or cpu-clock. Those of the others are in profile->events, stacks like these
 * but for one node between a thread and its outermost frame: it has the hash of the event's name as
 * address, any module, and weighs the number of samples. The fact "other_event" has the name, and
 * "other_clock" too if it is a clock. */
#pragma once

#include "profile/stacks.h"

#include <stdbool.h>

struct err;
struct profile;

/* One more sample of the event in a thread; returns the node that its frames are below. The profile
 * must have a module. */
uint32_t events_count(struct profile *profile, const char *name, bool clock, uint64_t thread);
/* Tells what the stacks are of. */
void event_name_first(struct profile *profile, const char *name, bool clock);

/* The name of the first event. */
const char *event_first(const struct profile *profile);

/* Whether its samples tell where time is spent: a clock's, or those of an event of cycles. */
bool event_first_is_time(const struct profile *profile);

/* The profile becomes a plain one of that event's samples alone. Fails, with the names that there
 * are, and changes nothing, if the profile has no such event. */
bool profile_choose_event(struct profile *profile, const char *name, struct err *err);
