#include "cmd/options/view_options.h"

#include "base/err.h"
#include "base/phase.h"
#include "cmd/cmd.h"
#include "cmd/options/input.h"
#include "cmd/options/pager.h"
#include "cmd/options/progress.h"
#include "cmd/options/wrapped.h"
#include "keep/module_open.h"
#include "profile/events.h"
#include "profile/part.h"
#include "profile/file/file.h"
#include "profile/profile.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

const struct flag view_flags[] = {
    VIEW_INPUT,        VIEW_BY(""),  VIEW_WEIGHT(""),   VIEW_MODULE(""),
    VIEW_FUNCTION(""), VIEW_PID(""), VIEW_TID(""),      VIEW_LIMIT(""),
    VIEW_JSON(""),     VIEW_RAW(""), VIEW_INFERRED(""), VIEW_COLOR,
    VIEW_NO_PAGER,     VIEW_VERBOSE, VIEW_QUIET(""),    VIEW_BINARY,
    VIEW_SYMFS,        {0},
};

bool take_moved_binary(void *to, const struct flag *flag, const char *value, struct err *err)
{
    (void)to, (void)flag;
    return module_moved(value, err) || err_in(err, "--binary");
}

bool take_symfs(void *to, const struct flag *flag, const char *value, struct err *err)
{
    (void)to, (void)flag, (void)err;
    module_root(value);
    return true;
}

bool take_by(void *to, const struct flag *flag, const char *value, struct err *err)
{
    struct view_options *options = to;
    (void)flag, (void)err;
    return item_by_parse(value, &options->by);
}

bool take_weight(void *to, const struct flag *flag, const char *value, struct err *err)
{
    struct view_options *options = to;
    options->has_weight = true;
    return take_word(to, flag, value, err);
}

/* "1.5:3", "1.5:", ":3" */
bool take_time(void *to, const struct flag *flag, const char *value, struct err *err)
{
    struct view_options *options = to;
    const char *colon = strchr(value, ':');
    char *end = NULL;
    (void)flag, (void)err;
    if (!colon || !colon[1 - (colon > value)] || strpbrk(value, " xXnNiI-"))
        return false;
    options->from_s = colon > value ? strtod(value, &end) : 0;
    if (colon > value && end != colon)
        return false;
    options->to_s = colon[1] ? strtod(colon + 1, &end) : 0;
    if (colon[1] && (*end || !(options->to_s > options->from_s)))
        return false;
    options->has_time = true;
    return options->from_s < 1e9 && options->to_s < 1e9;
}

bool take_limit(void *to, const struct flag *flag, const char *value, struct err *err)
{
    struct view_options *options = to;
    char *end;
    (void)flag, (void)err;
    errno = 0;
    options->limit = (size_t)strtoull(value, &end, 10);
    options->has_limit = true;
    return !errno && end != value && !*end && *value != '-';
}

bool take_raw(void *to, const struct flag *flag, const char *value, struct err *err)
{
    struct view_options *options = to;
    (void)flag, (void)value, (void)err;
    options->raw = true;
    options->inferred = false;
    return true;
}

bool take_inferred(void *to, const struct flag *flag, const char *value, struct err *err)
{
    struct view_options *options = to;
    options->inferred = true;
    options->raw = false;
    return !value || take_word(to, flag, value, err);
}

int profile_load(const char *path, bool quiet, struct profile *ret_profile)
{
    int status = profile_load_any(path, quiet, ret_profile);
    if (status != EXIT_DONE || !ret_profile->ruined)
        return status;
    if (quiet)
        say("%s", ret_profile->warning);
    profile_release(ret_profile);
    return EXIT_BAD_INPUT;
}

int profile_load_event(const char *path, bool quiet, const char *event, struct profile *ret_profile)
{
    struct err err;
    int status = profile_load(path, quiet, ret_profile);
    if (status != EXIT_DONE || !event || profile_choose_event(ret_profile, event, &err))
        return status;
    err_in(&err, "%s: --event", path);
    profile_release(ret_profile);
    return say_err(&err);
}

static int load_part(const struct view_options *options, struct profile *ret_profile,
                     bool (*weigh)(struct profile *, struct time_part, struct err *))
{
    struct err err;
    const char *event = options->has_time ? NULL : options->event;
    int status = profile_load_event(options->input, options->quiet, event, ret_profile);
    if (status != EXIT_DONE)
        return status;
    if (options->has_time && options->event &&
        strcmp(options->event, event_first(ret_profile)) != 0) {
        say("%s: --event %s --time: only samples of the first event, %s, have times",
            options->input, options->event, event_first(ret_profile));
        profile_release(ret_profile);
        return EXIT_BAD_INPUT;
    }
    if (!options->has_time)
        return status;
    uint64_t start = times_start(ret_profile);
    struct time_part part = {start + (uint64_t)(options->from_s * 1e9),
                             options->to_s > 0 ? start + (uint64_t)(options->to_s * 1e9)
                                               : UINT64_MAX};
    if (weigh(ret_profile, part, &err))
        return EXIT_DONE;
    err_in(&err, "%s: --time", options->input);
    profile_release(ret_profile);
    return say_err(&err);
}

int view_load(const struct view_options *options, struct profile *ret_profile)
{
    return load_part(options, ret_profile, profile_weigh_part);
}

int view_load_waits(const struct view_options *options, struct profile *ret_profile)
{
    return load_part(options, ret_profile, profile_weigh_part_waits);
}

int view_load_counts(const struct view_options *options, struct profile *ret_profile)
{
    struct err err;
    int status = view_load(options, ret_profile);
    if (status != EXIT_DONE || !options->has_time || ret_profile->mode == PROFILE_SAMPLED)
        return status;
    err_set(&err, ERR_MISSING,
            "%s: --time: it does not have when windows counted, only when samples were taken: it "
            "is a plain recording or a carried one, an older gait made it, or no window lies in "
            "that part; without --time it shows all",
            options->input);
    profile_release(ret_profile);
    return say_err(&err);
}

static struct {
    VEC(struct preloaded {
        const char *path; /* NULL: taken */
        struct profile profile;
    });
} preloaded;

void profile_preload(const char *path, const struct profile *profile)
{
    *vec_push(&preloaded) = (struct preloaded){path, *profile};
}

static bool take_preloaded(const char *path, struct profile *ret_profile)
{
    for (size_t i = 0; i < preloaded.n; i++)
        if (preloaded.at[i].path && strcmp(preloaded.at[i].path, path) == 0) {
            *ret_profile = preloaded.at[i].profile;
            preloaded.at[i].path = NULL; /* whoever loads it releases it */
            return true;
        }
    return false;
}

int profile_load_any(const char *path, bool quiet, struct profile *ret_profile)
{
    struct err err;
    if (take_preloaded(path, ret_profile))
        return EXIT_DONE;
    if (!quiet)
        progress_begin();
    phase_set("reading", path);
    if (!input_read(path, ret_profile, &err)) {
        say_err(&err);
        if (err.kind == ERR_MISSING && strcmp(path, "gait.data") == 0)
            say("type:  gait record -- PROGRAM  to make one, or name another file");
        return err.kind == ERR_USAGE ? EXIT_USAGE : EXIT_BAD_INPUT;
    }
    if (ret_profile->warning && !quiet)
        say("%s", ret_profile->warning);
    return EXIT_DONE;
}

/* An exact profile fits together as it is; asked for, it is held to that. */
bool view_infers(const struct view_options *options, const struct profile *profile)
{
    bool walked = profile->mode == PROFILE_SAMPLED && !options->pid && !options->tid;
    return item_by_inferred(options->by) && !options->raw && (walked || options->inferred);
}

int say_not_inferred(void)
{
    say("there are no inferred counts for this view; use --raw");
    return EXIT_FAILED;
}

int output_columns(void)
{
    struct winsize size;
    return isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

struct ink output_begin(const struct view_options *options)
{
    const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");
    bool people = isatty(STDOUT_FILENO) && !options->json;
    bool can = people && !(no_color && *no_color) && terminal && strcmp(terminal, "dumb") != 0;
    struct ink ink = {.on =
                          options->color == COLOR_ALWAYS || (options->color == COLOR_AUTO && can)};
    int columns = people ? output_columns() : 0;
    progress_end();
    if (people && !options->no_pager)
        pager_begin();
    wrapped_begin(columns);
    return ink;
}

void output_wrap(void)
{
    wrapped_begin(output_columns());
}

int output_status(void)
{
    progress_end();
    if (pager_end())
        return EXIT_DONE;
    if (wrapped_flush() == 0 && !ferror(stdout))
        return EXIT_DONE;
    say("cannot write: %s", strerror(errno));
    return EXIT_FAILED;
}

bool view_input(struct view_options *options, int argc, char **argv, struct err *err)
{
    if (optind < argc)
        options->input = argv[optind++];
    if (optind < argc)
        return err_set(err, ERR_USAGE, "expected one file; to add several, use gait merge");
    if (!options->input)
        options->input = "gait.data";
    return true;
}

size_t view_rows(const struct view_options *options, size_t in_text)
{
    if (options->has_limit)
        return options->limit;
    return options->json ? SIZE_MAX : in_text;
}
