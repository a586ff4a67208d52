/* What commands have in common that show one table of a profile, set against its binaries. */
#pragma once

#include "cmd/options/view_options.h"

struct profile;
struct scene;

struct table_view {
    const struct command_line *line;
    enum profile_table table;
    bool (*has)(const struct profile *profile); /* whether there is anything; NULL: in the table */
    const char *missing; /* said of a profile that has nothing, behind its name */
    const char *(*why)(const struct profile *profile); /* or this, which looks at it */
    const char *event,
        *unseen; /* or, if this was among the events of the recording, this; NULL: none is */
    size_t text_rows;
    bool (*make)(struct scene *scene, void *options,
                 struct err *err); /* before anything is printed; NULL: nothing can fail */
    void (*show)(struct scene *scene, void *options, const struct ink *ink, size_t rows);
};

/* `view` is what the options begin with, which `make` and `show` get. The exit status. */
int table_view_run(const struct table_view *table, struct view_options *view, int argc,
                   char **argv);
