/* Runs of programs for optimize: one at a time, output in files, time measured. */
#pragma once

#include <stdbool.h>

struct arena;
struct err;

/* A command that can be run again and again: it reads the same input each time. */
struct trial {
    const char *path;  /* the file to execute */
    char *const *argv; /* ends with NULL; the first is the name that the program sees */
    const char *input; /* a file for its standard input */
    char **environment;
    bool group; /* it may start others: signals go to all of them */
};

struct trial_result {
    int status;  /* as waitpid gives it */
    double cpu;  /* seconds, user and system, of it and those it waited for */
    double wall; /* seconds */
};

/* Output and errors go to files; output NULL: to that of errors. False: the program could not be
 * started, or a signal has stopped it (interrupt.h). */
bool trial_run(const struct trial *trial, const char *output, const char *errors,
               struct trial_result *ret_result, struct err *err);

/* Whether two files have the same bytes; files that cannot be read are not the same. */
bool files_equal(const char *a, const char *b);
/* With mode and time of change. */
bool file_copy(const char *from, const char *to, struct err *err);
/* The last lines of a file, for messages, from the first one with the word "error" on; or a remark
 * that it is empty. */
const char *file_tail(struct arena *arena, const char *path);
/* "status 3", "signal 11"; in the arena. */
const char *status_text(struct arena *arena, int status);

/* The speedup of pairs of runs: the mean of log(before / after), with its 95 % interval. */
struct gain {
    double value, lo, hi;
    double before, after; /* seconds, geometric means */
    unsigned n;
};
struct gain gain_of(const double *before, const double *after, unsigned n);
