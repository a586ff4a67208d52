/* A profile as one HTML file: gait export --format html. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

struct viewed;

/* The profiles were given to profile_preload. Says on stderr, unless quiet, what the file does not
 * hold. */
void html_write(FILE *to, struct viewed *viewed, bool quiet);
