/* gait lab history: ways told by the directions of branches, of a command. */
#pragma once

#include <stdbool.h>

/* Runs the command, which ends with NULL, for so many steps (text; NULL: the usual); the exit status. */
int lab_history(char **command, const char *steps, bool csv);
