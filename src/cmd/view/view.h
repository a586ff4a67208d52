/* Profiles in the browser, for other commands. */
#pragma once

#include <stdbool.h>

struct err;
struct viewed;

/* Reads the profiles once, for all answers. EXIT_DONE, or an exit status after a message. */
int viewed_load(struct viewed *viewed, bool quiet);
/* Whether there can be a server: to be asked before something is recorded for it. */
bool view_is_possible(struct err *err);
/* What `gait view PATH` does, with the address on stderr, because stdout is the recorded program's.
 * The exit status. */
int view_profile(const char *path);
