/* Whether a program will load the agent: what its file tells before it is started. */
#pragma once

#include <stdbool.h>

/* Why the program did not load the agent, as the end of a sentence; NULL if the file does not tell.
 */
const char *loadable_hindrance(const char *path);
/* A program of this machine's kind that no loader starts, and that may be given the agent all the
 * same. */
bool loadable_is_static(const char *path);
/* An ELF file, but not of this machine's kind of programs. */
bool loadable_is_foreign(const char *path);
