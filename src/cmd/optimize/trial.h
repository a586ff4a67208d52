/* Running programs for optimize: each run alone, with its output kept in files, and what it used.
 */
#pragma once

#include <stdbool.h>

struct arena;
struct err;

/* A command that can be run again and again: it reads the same input each time. */
struct trial {
    const char *path;  /* what is executed */
    char *const *argv; /* ends with NULL; the first word is what the program is told to be called */
    const char *input; /* a file for its standard input */
    char **environment;
    bool group; /* it may start others, which are told to stop with it */
};

struct trial_result {
    int status;  /* as waitpid gives it */
    double cpu;  /* seconds, user and system, of it and those it waited for */
    double wall; /* seconds */
};

/* Output and errors go to files; NULL for output: to where errors go. False: it could not be
 * started, or this process was told to stop (interrupt.h), and so was the program. */
bool trial_run(const struct trial *trial, const char *output, const char *errors,
               struct trial_result *ret_result, struct err *err);

/* Whether two files have the same bytes; files that cannot be read are not the same. */
bool files_equal(const char *a, const char *b);
/* With mode and time of change. */
bool file_copy(const char *from, const char *to, struct err *err);
/* The last lines of a file, for messages, from the first on that has the word error; or that it has
 * none. */
const char *file_tail(struct arena *arena, const char *path);
/* "status 3", "signal 11"; in the arena. */
const char *status_text(struct arena *arena, int status);

/* How much faster the second of pairs of runs is: log(before / after), mean of the pairs, with its
 * 95 % interval. */
struct gain {
    double value, lo, hi;
    double before, after; /* seconds, the means of their logarithms taken back */
    unsigned n;
};
struct gain gain_of(const double *before, const double *after, unsigned n);
