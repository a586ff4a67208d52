/* gait optimize: what its parts share. */
#pragma once

#include "base/memory.h"
#include "cmd/optimize/outputs.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

extern char **environ;

enum optimizer { WITH_BOLT, WITH_CLANG, WITH_GCC, WITH_NOTHING };
const char *optimizer_name(enum optimizer with);
/* What must be there. */
const char *optimizer_tool(enum optimizer with);

enum { OPTIMIZE_RUNS_MAX = 500 };

struct optimize {
    enum optimizer with;
    const char *output;   /* NULL: named after the program */
    const char *build;    /* a shell command; NULL: none */
    const char *input;    /* a file for the program's standard input */
    const char *writes;   /* a file that the command writes; NULL: none that matters */
    const char *overhead; /* of recording; NULL: as the program's length suggests */
    bool exact;           /* record exactly, however long it takes */
    uint32_t runs;        /* pairs to measure; 0: as time allows */
    bool json, quiet, keep;
    char **argv; /* the program and its arguments */

    struct arena arena;
    const char *self;    /* gait */
    const char *program; /* the file that runs */
    const char *folder;  /* for what is thrown away */
    const char *data;    /* the profile */
    struct outputs outputs;
    const char *result; /* the program that was made */
    const char *note;   /* what to know of how it was made; NULL: nothing */
    double alone;       /* seconds of CPU time that the program took by itself */
};

/* One thing more to know. */
void optimize_note(struct optimize *optimize, const char *note);
/* Records the program, and notes if little of what it executes is its own. */
bool optimize_record(struct optimize *optimize, struct err *err);
/* Writes its profile in a format to a file. */
bool optimize_export(struct optimize *optimize, const char *format, const char *output,
                     struct err *err);
/* Writes counts for -fprofile-use beside the notes that gcc left below the current folder. */
bool optimize_export_gcda(struct optimize *optimize, struct err *err);
/* Has gcc leave these notes, and writes the counts; all that is new below the current folder is an
 * output then, and gone if it fails. */
bool optimize_gcda(struct optimize *optimize, size_t *ret_files, struct err *err);
/* Runs the build command with more flags. */
bool optimize_build_run(struct optimize *optimize, const char *flags, struct err *err);
/* Makes optimize->result by BOLT. */
bool optimize_bolt(struct optimize *optimize, struct err *err);
/* The same by the compiler and the build command; without one, tells how to build, and result stays
 * NULL. *ret_before is a copy of the program as it was. */
bool optimize_build(struct optimize *optimize, const char **ret_before, struct err *err);

/* Runs a tool with its output in a file of that name in the folder; what it said last is in the
 * error. False as well if it ends with another status than 0. */
bool optimize_tool(struct optimize *optimize, char *const *argv, const char *log, struct err *err);
