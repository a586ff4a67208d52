/* gait optimize: the state that its parts share. */
#pragma once

#include "base/memory.h"
#include "cmd/optimize/outputs.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct reference_run;

extern char **environ;

enum optimizer { WITH_BOLT, WITH_CLANG, WITH_GCC, WITH_SPECIALISE, WITH_NOTHING };
const char *optimizer_name(enum optimizer with);
/* The program that must be installed. */
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
    bool values;          /* gcc: divisors and sizes, too */
    uint32_t runs;        /* pairs to measure; 0: as time allows */
    bool json, quiet, keep;
    bool drop;   /* the result is no better: everything is to be as it was */
    char **argv; /* the program and its arguments */

    struct arena arena;
    const char *self;    /* gait */
    const char *program; /* the file that runs */
    const char *folder;  /* for temporary files */
    const char *data;    /* the profile */
    struct outputs outputs;
    const char *result; /* the program that was made */
    struct bolt_call {
        const char *path, *fdata, *log;
        const char *skipped; /* functions that it cannot handle; NULL: none */
        bool relocations;    /* functions can be moved */
    } bolt;
    const char *note; /* remarks about how it was made; NULL: none */
    double alone;     /* seconds of CPU time that the program took by itself */
};

/* Adds a remark. */
/* What is done now, for the progress line of a terminal; all 0: not in parts. */
void optimize_phase(const struct optimize *optimize, const char *what, unsigned done, unsigned all);
void optimize_note(struct optimize *optimize, const char *note);
/* Records the program; remarks if most of its time is in other modules. */
bool optimize_record(struct optimize *optimize, struct err *err);
/* By gait with these words and the program's behind them, into optimize->data. */
bool optimize_record_by(struct optimize *optimize, const char *const *own, struct err *err);
/* Exports the profile to a file. */
bool optimize_export(struct optimize *optimize, const char *format, const char *output,
                     struct err *err);
/* Writes counts for -fprofile-use beside the notes that gcc left below the current folder. */
bool optimize_export_gcda(struct optimize *optimize, struct err *err);
/* Runs that are shorter are traced instead of sampled where values are wanted. */
#define TRACED_BELOW_S 0.3
/* Builds with gcc's notes and writes the counts. All new files below the current folder become
 * outputs, which a failure removes. */
bool optimize_gcda(struct optimize *optimize, size_t *ret_files, struct err *err);
/* Runs the build command with more flags. */
bool optimize_build_run(struct optimize *optimize, const char *flags, struct err *err);
/* Makes optimize->result by BOLT. */
bool optimize_bolt(struct optimize *optimize, struct err *err);
/* Aligns the blocks as well, and keeps that if the program does the same and is faster for it. */
bool optimize_bolt_align(struct optimize *optimize, const struct reference_run *reference,
                         struct err *err);
/* The same by the compiler and the build command. Without a command it says how to build, and
 * result stays NULL. *ret_before is a copy of the old program. */
bool optimize_build(struct optimize *optimize, const char **ret_before, struct err *err);

/* The same by a copy of a function for a frequent argument, in the source. *ret_before is the
 * program as the same command builds it without. */
bool optimize_specialise(struct optimize *optimize, const char **ret_before, struct err *err);

/* gait's own words, then more of them (NULL: none). */
char **optimize_gait_words(struct optimize *optimize, const char *const *own, char *const *more);
/* Runs a tool, with its output in the file `log`. False if its status is not 0; the error has its
 * last lines. */
bool optimize_tool(struct optimize *optimize, char *const *argv, const char *log, struct err *err);
