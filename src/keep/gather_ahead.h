/* Reads the files of modules while the program runs: a thread that only uses a CPU that is idle. Of
 * what a profile is to keep, it takes what is known so far, so that little is left for the end,
 * when somebody waits. */
#pragma once

#include "keep/gather.h"

#include <stdint.h>

/* NULL: there can be no thread, and all is left for the end. */
struct gather_ahead *gather_ahead_start(struct gather_wish wish);
/* What has run so far; modules keep their numbers, new ones come after them. Costs the caller a
 * copy. Does nothing while the thread is still at work on what it was told before. `lines`: as in
 * the wish, from now on, unless that wants all. */
void gather_ahead_tell(struct gather_ahead *ahead, const struct profile *profile,
                       const struct places *places, unsigned lines);
/* CPU time that the thread has used. */
uint64_t gather_ahead_ns(const struct gather_ahead *ahead);
/* Waits until the thread has done with the module that it reads; from now on it has the caller's
 * priority. */
void gather_ahead_stop(struct gather_ahead *ahead);
/* Of a stopped one: what it has of the module, which now is the caller's; NULL: nothing. */
struct module_gather *gather_ahead_take(struct gather_ahead *ahead, uint32_t module);
void gather_ahead_release(struct gather_ahead *ahead);
