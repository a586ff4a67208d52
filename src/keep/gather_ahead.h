/* Reads the files of modules while the program runs: a thread that only uses a CPU that is idle. Of
 * what a profile is to keep, it takes what is known so far, and compresses it, so that little is
 * left for the end, when somebody waits. */
#pragma once

#include "keep/gather.h"
#include "profile/file/kept_pack.h"

#include <stdint.h>

/* NULL: there can be no thread, and all is left for the end. */
struct gather_ahead *gather_ahead_start(struct gather_wish wish);
/* What has run so far: the places of modules, which have these numbers in the file and keep them
 * unless it is written anew. `cpu_ns`: what the program has used. */
struct gather_news {
    const struct profile *profile;
    const struct places *places;
    const struct numbering *in_file;
    uint64_t cpu_ns;
    unsigned lines; /* as in the wish, from now on, unless that wants all */
};
/* Modules keep their numbers, new ones come after them. Costs the caller a
 * copy. Does nothing while the thread is still at work on what it was told before. */
void gather_ahead_tell(struct gather_ahead *ahead, const struct gather_news *news);
/* CPU time that the thread has used. */
uint64_t gather_ahead_ns(const struct gather_ahead *ahead);
/* Waits until the thread has done with the module that it reads; from now on it has the caller's
 * priority. What it compresses is given up. */
void gather_ahead_stop(struct gather_ahead *ahead);
/* Of a stopped one: what it has of the module, which now is the caller's; NULL: nothing. */
struct module_gather *gather_ahead_take(struct gather_ahead *ahead, uint32_t module);
/* Of a stopped one: chunks of what it has compressed, which now are the caller's. */
void gather_ahead_packs(struct gather_ahead *ahead, struct kept_packs *ret_packs);
void gather_ahead_release(struct gather_ahead *ahead);
