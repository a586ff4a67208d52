/* gait carry: a profile of one build as a profile of another. */
#include "carry/carry.h"
#include "base/err.h"
#include "cmd/carried.h"
#include "cmd/cmd.h"
#include "cmd/options/flags.h"
#include "cmd/options/view_options.h"
#include "profile/file/file.h"

#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: gait carry --binary NEW -o OUT [options] [FILE]\n"
    "\n"
    "Makes of a profile (gait.data) one of another build of the program: functions are\n"
    "found by name, blocks by what they are and what is around them. What has no place\n"
    "in the new build is left out, and how much that is is said.\n"
    "\n"
    "  --binary NEW       the new build\n"
    "  -o OUT             the profile; an existing file is moved to OUT.old\n"
    "  -i FILE            the profile of the old build, as an option\n"
    "  --recorded FILE    a copy of the old build, if it is not where it was\n"
    "  --module NAME      what NEW is a build of (what has its name, or the program)\n"
    "  -q                 say nothing\n";

struct options {
    const char *input, *output;
    struct carry_options carry;
    bool quiet, help;
};

static bool parse(struct options *options, int argc, char **argv, struct err *err)
{
    const struct flag flags[] = {
        {"output", 'o', NULL, &options->output},
        {"input", 'i', NULL, &options->input},
        {"binary", 0, NULL, &options->carry.binary},
        {"recorded", 0, NULL, &options->carry.recorded},
        {"module", 0, NULL, &options->carry.module},
        {"quiet", 'q', &options->quiet, NULL},
        {0},
    };
    *options = (struct options){.input = "gait.data"};
    if (!flags_parse(flags, &options->help, argc, argv, err) || options->help)
        return options->help;
    if (!options->carry.binary || !options->output)
        return err_set(err, ERR_USAGE, "to what, and where? gait carry --binary NEW -o OUT");
    if (optind < argc)
        options->input = argv[optind++];
    if (optind < argc)
        return err_set(err, ERR_USAGE, "one file at a time");
    return true;
}

/* The profile may be read from another folder. A link to the new build keeps its name, by which the
 * module is found. */
static void binary_resolve(struct options *options, char path[PATH_MAX])
{
    const char *last = strrchr(options->carry.binary, '/');
    last = last ? last + 1 : options->carry.binary;
    if (realpath(options->carry.binary, path) && strcmp(strrchr(path, '/') + 1, last) == 0)
        options->carry.binary = path;
}

int cmd_carry(int argc, char **argv)
{
    struct options options;
    char path[PATH_MAX];
    struct profile profile;
    struct err err;
    if (!parse(&options, argc, argv, &err))
        return say_err(&err);
    if (options.help)
        return show_usage(usage);
    binary_resolve(&options, path);
    int status = profile_load(options.input, options.quiet, &profile);
    if (status == EXIT_DONE)
        status = profile_carry(&profile, options.input, &options.carry, options.quiet);
    if (status != EXIT_DONE)
        return status;
    bool ok = profile_write(options.output, &profile, &err);
    profile_release(&profile);
    return ok ? EXIT_DONE : say_err(&err);
}
