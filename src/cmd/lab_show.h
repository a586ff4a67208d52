/* Writes a table of gait lab: text, CSV, plot. */
#pragma once

#include <stdbool.h>

struct lab_rows;

struct lab_outputs {
    bool csv;             /* instead of text */
    const char *csv_file; /* beside the text; NULL: none */
    const char *plot;     /* an SVG file; NULL: none */
    const char *points;   /* a file for the points of scatter plots, as CSV; NULL: none */
};

/* The exit status. */
int lab_show(const struct lab_rows *rows, const struct lab_outputs *outputs);
