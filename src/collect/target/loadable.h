/* Whether a program will load the agent, as its file shows. */
#pragma once

#include <stdbool.h>

/* Why the program did not load the agent, as the end of a sentence; NULL: the file does not show
 * it. */
const char *loadable_hindrance(const char *path);
/* A static program of this machine's kind: the agent can be injected. */
bool loadable_is_static(const char *path);
/* An ELF file of another kind of machine. */
bool loadable_is_foreign(const char *path);
