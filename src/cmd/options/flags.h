/* The flags of a command that has only a few: each is there or not, or has a word as its value. */
#pragma once

#include <stdbool.h>

struct err;

struct flag {
    const char *name;   /* --name; NULL ends a list */
    char letter;        /* -l, or 0 */
    bool *is_set;       /* where to say that it was given, or NULL */
    const char **value; /* where its value goes; NULL: it has none */
};

/* Sets what is given; the rest stays as it is. Every command has -h and --help, behind which
 * nothing is looked at any more. Leaves optind at the first argument that is no flag. */
bool flags_parse(const struct flag *flags, bool *help, int argc, char **argv, struct err *err);
/* The same for what has a command behind its flags: those behind the first argument are the
 * command's. */
bool flags_parse_before(const struct flag *flags, bool *help, int argc, char **argv,
                        struct err *err);
