/* gait merge: adds profiles up. */
#include "base/err.h"
#include "cmd/cmd.h"
#include "cmd/options/flags.h"
#include "cmd/options/input.h"
#include "profile/file/file.h"
#include "profile/no_values.h"
#include "profile/kernel_names.h"
#include "profile/kernel_place.h"

#include <getopt.h>
#include <stdio.h>

struct options {
    const char *output;
    char **files;
    bool no_values, quiet;
};

static const struct flag flags[] = {
    {"output", 'o', "OUT", NULL, "the sum; an existing file is moved to OUT.old",
     TAKE(text, struct options, output)},
    {"no-values", 0, NULL, NULL, "leave out values, which can hold secrets, and data addresses",
     TAKE(set, struct options, no_values)},
    {"quiet", 'q', NULL, NULL, "do not mention damaged or incomplete files",
     TAKE(set, struct options, quiet)},
    {0},
};

static const struct command_line this_command = {
    .usage = "usage: gait merge -o OUT FILE...\n\nAdds profiles of the same mode and writes the "
             "sum. The order of the files does not matter.\n",
    .flags = flags,
};

static bool parse(struct options *options, int argc, char **argv, struct err *err)
{
    *options = (struct options){0};
    if (!flags_parse(&this_command, options, argc, argv, err))
        return false;
    options->files = argv + optind;
    if (!options->output)
        return err_set(err, ERR_USAGE, "no output file: gait merge -o OUT FILE...");
    if (optind == argc)
        return err_set(err, ERR_USAGE, "nothing to merge: gait merge -o OUT FILE...");
    return true;
}

static void warn(const char *path, const struct profile *profile, bool quiet)
{
    if (quiet)
        return;
    if (profile->warning)
        say("%s", profile->warning);
    else if (!profile->complete)
        say("%s: the recording was not closed: it is still running or was killed", path);
}

/* Adds the file to the sum, which the first one starts. */
static bool add(struct profile *sum, bool first, const char *path, bool quiet, struct err *err)
{
    struct profile profile;
    if (!input_read(path, &profile, err))
        return false;
    if (profile.ruined) {
        err_set(err, ERR_FORMAT, "%s", profile.warning);
        profile_release(&profile);
        return false;
    }
    warn(path, &profile, quiet);
    kernel_names_complete(&profile); /* whoever looks at the sum may run another kernel */
    kernel_place(&profile);
    profile.totals.recordings += !profile.totals.recordings;
    if (first) {
        *sum = profile;
        return true;
    }
    bool ok = profile_merge(sum, &profile, err) || err_in(err, "%s", path);
    profile_release(&profile);
    return ok;
}

int cmd_merge(int argc, char **argv)
{
    struct options options;
    struct err err;
    struct profile sum;
    if (!parse(&options, argc, argv, &err))
        return say_err(&err);
    profile_init(&sum);
    bool ok = true;
    for (char **file = options.files; ok && *file; file++)
        ok = add(&sum, file == options.files, *file, options.quiet, &err);
    if (ok && options.no_values)
        profile_forget_values(&sum);
    ok = ok && profile_write(options.output, &sum, &err);
    profile_release(&sum);
    return ok ? EXIT_DONE : say_err(&err);
}
