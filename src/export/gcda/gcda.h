/* Profiles for gcc -fprofile-use: a .gcda file for each object of the program.
 *
 * A compilation with -fprofile-use -ftest-coverage writes gcc's notes (.gcno), with the graphs and
 * checksums that gcc will expect. Counts of the program's code become counts of their arcs
 * (export/gcda/sightings.h, gcov/fit.h). */
#pragma once

#include "gcov/fit.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct export_options;
struct profile;

struct gcda_options {
    const char *notes;  /* folder with .gcno files, or one */
    const char *folder; /* for -fprofile-use=FOLDER; NULL: beside the notes, for -fprofile-use */
    enum fit_voting voting;
    const struct export_options *counts; /* which module, and which counts of it */
};

struct gcda_report {
    size_t files, functions; /* written; functions that ran */
    size_t valued;           /* of them, with counters of divisors or sizes */
    size_t foreign;    /* notes that the program has no code of: nothing was written for them */
    size_t moved;      /* files that were there: now PATH.old */
    size_t left;       /* foreign notes that have counts of another program, or of another time */
    size_t unreadable; /* notes */
    size_t poor; /* functions that ran: of most executions of their branches the program does not
                    tell the way */
    char poor_most[128]; /* the one with most such executions, as linked */
    double told;         /* share of executions of branches, of all functions, whose way it tells */
    double explained;    /* share of executed instructions whose function has notes */
};

bool gcda_export(const struct profile *profile, const struct gcda_options *options,
                 struct gcda_report *ret_report, struct err *err);
