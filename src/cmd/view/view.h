/* Profiles in the browser, for other commands. */
#pragma once

#include <stdbool.h>

struct viewed;

/* Reads the profiles once, for all answers. EXIT_DONE, or an exit status after a message. */
int viewed_load(const struct viewed *viewed, bool quiet);
/* What `gait view PATH` does; the exit status. */
int view_profile(const char *path);
