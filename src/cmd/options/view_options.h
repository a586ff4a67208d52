/* Flags that all views have: -i, --json, --limit, --by, --weight, --module, --function, --pid,
 * --tid,
 * --raw, --inferred, -q, --color, --no-pager, --help. */
#pragma once

#include "view/head.h"
#include "text/ink.h"

#include <stdbool.h>
#include <stddef.h>

struct err;

/* What a view has beside: values from VIEW_OPTION_OWN on, {NULL} last. `take` gets each with its
 * value; false: not good, and err says why. A flag of its own hides a shared one of that name. */
enum { VIEW_OPTION_OWN = 512 };
struct option;
struct own_options {
    const struct option *list;
    bool (*take)(void *to, int option, const char *value, struct err *err);
    void *to;
};

struct view_options {
    const char *input;             /* NULL: not given */
    const char *module, *function; /* NULL: all */
    uint32_t pid, tid;             /* 0: all */
    enum item_by by;
    enum weight weight;
    size_t limit;
    bool has_weight, has_limit, json, raw, inferred, quiet, help, no_pager, verbose;
    enum infer_method method; /* of --inferred=METHOD */
    enum color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER } color;
};

/* Fields that no flag sets stay as they are. Leaves optind at the first argument that is no flag.
 * own: NULL: none. */
bool view_options_parse(struct view_options *options, const struct own_options *own, int argc,
                        char **argv, struct err *err);

/* Behind the flags: the one file to show, gait.data if there is none. */
bool view_input(struct view_options *options, int argc, char **argv, struct err *err);
/* How many rows: as asked for, else so many in text and all in JSON. */
size_t view_rows(const struct view_options *options, size_t in_text);
/* "5" or "5%", from 0 to 100; `flag` is whose value it is. */
bool percent_parse(const char *flag, const char *text, double *ret_percent, struct err *err);

/* Reads a profile, mentions damage unless quiet; EXIT_DONE, or what to return after saying why. One
 * of which damage has left nothing is not read, unless any is wanted. */
int profile_load(const char *path, bool quiet, struct profile *ret_profile);
int profile_load_any(const char *path, bool quiet, struct profile *ret_profile);

/* Whether a view of that profile has inferred counts: where they exist and raw ones are not asked
 * for. */
bool view_infers(const struct view_options *options, const struct profile *profile);
/* Says that this view has none; the exit status. */
int say_not_inferred(void);

/* Of the terminal that stdout is; 0: it is none. Asked before output_begin, which may put a pager
 * there. */
int output_columns(void);
/* Before text for people is written: what colours it has, and through the pager with it if it goes
 * to a terminal. JSON has neither. */
struct ink output_begin(const struct view_options *options);
/* EXIT_DONE if all of stdout could be written. Ends the pager too. */
int output_status(void);
