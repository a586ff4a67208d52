/* The options of a command: one table. The parser, --help, messages about bad values and the
 * completion of shells come from it; tests/live/manual.sh compares the manual page with it.
 *
 * An option is a row of the table, its use, and a paragraph of the page. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct err;

struct flag {
    const char *name;  /* --name; "": a line of text between options; NULL ends a table */
    char letter;       /* -l, or 0. Help and messages show it instead of the name */
    const char *value; /* its word in the help; "[=WORD]", "=word": may be left out; NULL: none */
    const char *words; /* all values, "perf, cputime or auto"; NULL: any */
    const char *help;  /* follows the words; NULL: the option is taken, but not shown */
    /* Stores the value. A false without an error set: the value is none of those expected. */
    bool (*take)(void *to, const struct flag *flag, const char *value, struct err *err);
    size_t at;            /* where in `to` */
    double low, high;     /* of a number; high 0: no limit */
    const char *expected; /* what the value must be, if words and limits do not say it */
};

/* The last part of a row: a member of a struct, and take_KIND, which fills it. */
#define TAKE(kind, type, member) .take = take_##kind, .at = offsetof(type, member)

bool take_set(void *to, const struct flag *flag, const char *value, struct err *err);  /* bool */
bool take_text(void *to, const struct flag *flag, const char *value, struct err *err); /* char * */
bool take_u32(void *to, const struct flag *flag, const char *value, struct err *err);
/* A double; a '%' may follow it if the help calls it PCT. */
bool take_number(void *to, const struct flag *flag, const char *value, struct err *err);
/* An enum: the place of the value among the words. */
bool take_word(void *to, const struct flag *flag, const char *value, struct err *err);
/* Nothing: for options that every command of a kind takes. */
bool take_nothing(void *to, const struct flag *flag, const char *value, struct err *err);

struct command_line {
    const char *usage;        /* what the help says above the options */
    const struct flag *flags; /* in the order of the help; several rows of a name: one option */
    const struct flag *also;  /* taken, too, and not shown; NULL: none */
    const char *below;        /* what the help says below the options; NULL: nothing */
    void (*more)(void);       /* prints what comes behind that; NULL: nothing */
    bool before;              /* options end at the first argument, which is a command */
};

/* Stores options in `to`; options that are not given change nothing. Leaves optind at the first
 * argument. --help prints the help and ends the process. */
bool flags_parse(const struct command_line *line, void *to, int argc, char **argv, struct err *err);

/* --help on stdout. */
void flags_help(const struct command_line *line);
/* --help=options, for programs: a line "NAMES TAB VALUE TAB WORDS TAB HELP" for each option. */
void flags_list(const struct command_line *line);
/* An option as help and messages show it: "-o" or "--by". */
const char *flag_shown(const struct flag *flag, char room[64]);
/* A number within the flag's limits. */
bool flag_number(const struct flag *flag, const char *value, double *ret_number);
/* The place of a value among the words, or -1. */
int flag_word(const struct flag *flag, const char *value);
/* The words of a flag, one after the other: where the next begins, NULL at the end. Start with
 * flag->words. */
const char *word_next(const char *at, size_t *ret_bytes);
