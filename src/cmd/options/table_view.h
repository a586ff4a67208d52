/* The common part of commands that show one table of a profile. */
#pragma once

#include "cmd/options/view_options.h"

struct profile;
struct scene;

struct table_view {
    const struct command_line *line;
    enum profile_table table;
    bool (*has)(
        const struct profile *profile); /* whether there are rows; NULL: look in the table */
    /* The message about a profile without rows: what `why` returns, if there is one; `unseen`, if
     * `event` was recorded; else `missing`. */
    const char *missing, *event, *unseen;
    const char *(*why)(const struct profile *profile);
    size_t text_rows;
    /* Runs before anything is printed; NULL: nothing can fail. */
    bool (*make)(struct scene *scene, void *options, struct err *err);
    void (*show)(struct scene *scene, void *options, const struct ink *ink, size_t rows);
};

/* `view` is the beginning of the options; `make` and `show` get them. The exit status. */
int table_view_run(const struct table_view *table, struct view_options *view, int argc,
                   char **argv);
