#include "cmd/options/table_view.h"

#include "base/err.h"
#include "cmd/cmd.h"
#include "analysis/counts/scene.h"

#include <string.h>

static const char unclosed[] =
    "; the recording was not closed: it is still running or was killed, and what windows took is "
    "written every second of CPU time, what a trace took at its end";

/* Whether record --events had it, of any recording that was merged: no name of an event is part of
 * another's. */
static bool was_asked(const struct profile *profile, const char *event)
{
    for (size_t i = 0; i < profile->facts.n; i++)
        if (strcmp(profile->facts.at[i].key, "events") == 0 &&
            strstr(profile->facts.at[i].value, event))
            return true;
    return false;
}

static const char *why_nothing(const struct table_view *table, const struct profile *profile)
{
    if (profile->part.end_ns && (table->has || profile->part_tables >> table->table & 1))
        return "--time: there is nothing of this in that part of the run; without --time it shows "
               "all";
    if (table->why)
        return table->why(profile);
    return table->event && was_asked(profile, table->event) ? table->unseen : table->missing;
}

static int show(const struct table_view *table, struct view_options *view,
                const struct profile *profile)
{
    struct err err;
    struct scene scene;
    if (!(table->has ? table->has(profile) : profile->tables[table->table].n > 0)) {
        err_set(&err, ERR_FORMAT, "%s: %s%s", view->input, why_nothing(table, profile),
                profile->complete || profile->damaged ? "" : unclosed);
        return say_err(&err);
    }
    scene_open(&scene, &profile, 1, view->module);
    scene.verbose = view->verbose;
    if (view->function)
        scene_want_function(&scene, view->function);
    if (!scene_shows(&scene, &err) || !scene_wants_any(&scene, &err) ||
        (table->make && !table->make(&scene, view, &err))) {
        scene_close(&scene);
        return say_err(&err);
    }
    struct ink ink = output_begin(view);
    table->show(&scene, view, &ink, view_rows(view, table->text_rows));
    scene_close(&scene);
    return output_status();
}

int table_view_run(const struct table_view *table, struct view_options *view, int argc, char **argv)
{
    struct err err;
    struct profile profile;
    if (!flags_parse(table->line, view, argc, argv, &err))
        return say_err(&err);
    if (!view_input(view, argc, argv, &err))
        return say_err(&err);
    int status = view_load_counts(view, &profile);
    if (status != EXIT_DONE)
        return status;
    status = show(table, view, &profile);
    profile_release(&profile);
    return status;
}
