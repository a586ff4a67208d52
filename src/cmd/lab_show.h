/* A table of gait lab, as text or comma separated values, and drawn. */
#pragma once

#include <stdbool.h>

struct lab_rows;

struct lab_outputs {
    bool csv;             /* instead of text */
    const char *csv_file; /* besides; NULL: none */
    const char *plot;     /* likewise */
};

/* The exit status. */
int lab_show(const struct lab_rows *rows, const struct lab_outputs *outputs);
