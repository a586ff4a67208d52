/* A profile as one HTML file: gait export --format html. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct viewed;

/* How much the file is to hold. 0: as usual. */
struct html_options {
    uint32_t functions, graphs, windows; /* that have a page, a graph */
    double size_mb;
    bool quiet; /* do not say on stderr what the file does not hold */
};

/* The profiles were given to profile_preload. */
void html_write(FILE *to, struct viewed *viewed, const struct html_options *options);
