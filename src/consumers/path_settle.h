/* Searches a profile's parts of windows for paths: they become rows of paths and series.
 *
 * Numbers of paths depend on the code alone, so it does not matter when that is done. A module
 * whose file is gone, or is another build by now, has no paths. */
#pragma once

struct profile;

/* The profile has no parts any more. */
void path_settle(struct profile *profile);
