/* In which order a process of an exact run first came to its functions: code is translated when it
 * is about to run for the first time, so superblocks are in that order, but for those that are
 * translated with what leads to them for certain. */
#pragma once

struct profile;
struct units;

/* Adds the places that were called, or jumped to from another function, to the profile's firsts,
 * once a process has ended. */
void first_runs_tell(const struct units *units, struct profile *profile);
