/* gait waits: where threads were off a CPU, and what they waited for. */
#include "analysis/counts/scene.h"
#include "analysis/waits/wait_view.h"
#include "base/err.h"
#include "cmd/cmd.h"
#include "cmd/options/view_options.h"
#include "profile/kernel_names.h"
#include "view/views.h"

enum { TEXT_ROWS = 10, FRAMES = 12 };

enum section { SECTION_ALL, SECTION_REASON, SECTION_THREAD, SECTION_STACK };

struct options {
    struct view_options view;
    enum section section;
    const char *reason;
    uint32_t frames;
};

static bool take_section(void *to, const struct flag *flag, const char *value, struct err *err)
{
    struct options *options = to;
    int place = flag_word(flag, value);
    (void)err;
    options->section = (enum section)(place + SECTION_REASON);
    return place >= 0;
}

static const struct flag flags[] = {
    VIEW_INPUT,
    {"by", 0, "KEY", "reason, thread or stack", ": these rows only (all three)",
     .take = take_section},
    {"reason", 0, "NAME", NULL, "only waits for this: a reason or a system call of the table",
     TAKE(text, struct options, reason)},
    VIEW_PID("this process only"),
    VIEW_TID("this thread only"),
    VIEW_FUNCTION("only stacks with a function of this name or glob"),
    {"depth", 0, "N", NULL, "number of frames of a stack (12)", TAKE(u32, struct options, frames),
     .low = 1, .expected = "a number of frames"},
    VIEW_TIME,
    VIEW_LIMIT("number of rows of each table (10; with --json all)"),
    VIEW_JSON("as JSON, schema gait/waits/1"),
    VIEW_OUTPUT,
    {0},
};

static const struct command_line this_command = {
    .usage = "usage: gait waits [options] [FILE]\n\nShows where threads were off a CPU in a "
             "recording (gait.data), for how long, and what they\nwaited for: a lock, a read, a "
             "timer, or a CPU.\n",
    .flags = flags,
    .also = view_flags,
};

static void print(const struct options *options, const struct wait_view *view)
{
    size_t rows = view_rows(&options->view, TEXT_ROWS);
    struct ink ink = output_begin(&options->view);
    enum section section = options->section;
    struct wait_sections sections = {.reasons = !section || section == SECTION_REASON,
                                     .threads = !section || section == SECTION_THREAD,
                                     .stacks = !section || section == SECTION_STACK,
                                     .limit = rows,
                                     .frames = options->frames};
    if (options->view.json)
        wait_view_json(stdout, view, rows);
    else
        wait_view_text(stdout, view, &ink, sections);
}

static const char *missing(const struct profile *profile)
{
    if (profile->mode == PROFILE_EXACT)
        return "an exact recording has no waits; gait record -- COMMAND records them";
    return "no waits in it; the kernel reports context switches, if it does, to gait record and to "
           "gait record --plain: gait doctor";
}

static int waits(const struct options *options, const struct profile *profile)
{
    struct err err;
    struct scene scene;
    struct wait_view view;
    struct wait_filter filter = {.pid = options->view.pid,
                                 .tid = options->view.tid,
                                 .reason = options->reason,
                                 .function = options->view.function};
    if (!profile->waits.cells.n) {
        err_set(&err, ERR_FORMAT, "%s: %s", options->view.input, missing(profile));
        return say_err(&err);
    }
    scene_open(&scene, &profile, 1, NULL);
    scene.verbose = options->view.verbose;
    scene.columns = output_columns();
    bool ok =
        wait_view_make(&view, &scene, filter, &err) || err_in(&err, "%s", options->view.input);
    if (ok) {
        print(options, &view);
        wait_view_release(&view);
    }
    scene_close(&scene);
    return ok ? output_status() : say_err(&err);
}

int cmd_waits(int argc, char **argv)
{
    struct options options = {.frames = FRAMES};
    struct err err;
    struct profile profile;
    if (!flags_parse(&this_command, &options, argc, argv, &err) ||
        !view_input(&options.view, argc, argv, &err))
        return say_err(&err);
    int status = view_load_waits(&options.view, &profile);
    if (status != EXIT_DONE)
        return status;
    kernel_names_complete(&profile);
    status = waits(&options, &profile);
    profile_release(&profile);
    return status;
}
