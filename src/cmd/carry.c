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

struct options {
    const char *input, *output;
    struct carry_options carry;
    bool quiet;
};

static const struct flag flags[] = {
    {"binary", 0, "NEW", NULL, "the new build", TAKE(text, struct options, carry.binary)},
    {"output", 'o', "OUT", NULL, "the profile; an existing file is moved to OUT.old",
     TAKE(text, struct options, output)},
    {"input", 'i', "FILE", NULL, "the profile of the old build", TAKE(text, struct options, input)},
    {"recorded", 0, "FILE", NULL, "a copy of the old build, if it is not where it was",
     TAKE(text, struct options, carry.recorded)},
    {"module", 0, "NAME", NULL,
     "the recorded module that NEW is a build of (the one of its name, or the program)",
     TAKE(text, struct options, carry.module)},
    {"quiet", 'q', NULL, NULL, "print nothing", TAKE(set, struct options, quiet)},
    {0},
};

static const struct command_line this_command = {
    .usage = "usage: gait carry --binary NEW -o OUT [options] [FILE]\n\nTurns a profile "
             "(gait.data) of one build of a program into a profile of another build.\nFunctions "
             "are matched by name, blocks by their code and neighbours. What has no place in "
             "the\nnew build is left out; gait says how much that is.\n",
    .flags = flags,
};

static bool parse(struct options *options, int argc, char **argv, struct err *err)
{
    *options = (struct options){.input = "gait.data"};
    if (!flags_parse(&this_command, options, argc, argv, err))
        return false;
    if (!options->carry.binary || !options->output)
        return err_set(err, ERR_USAGE,
                       "no new build or no output file: gait carry --binary NEW -o OUT");
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

static void lacking_say(const struct profile *profile)
{
    for (size_t i = 0; i < profile->facts.n; i++)
        if (strcmp(profile->facts.at[i].key, "carried_without") == 0)
            say("left out: %s of the old build's code; to have them, record the new build",
                profile->facts.at[i].value);
}

int cmd_carry(int argc, char **argv)
{
    struct options options;
    char path[PATH_MAX];
    struct profile profile;
    struct err err;
    if (!parse(&options, argc, argv, &err))
        return say_err(&err);
    binary_resolve(&options, path);
    int status = profile_load_carried(options.input, NULL, &options.carry, options.quiet, &profile);
    if (status != EXIT_DONE)
        return status;
    if (!options.quiet)
        lacking_say(&profile);
    bool ok = profile_write(options.output, &profile, &err);
    profile_release(&profile);
    return ok ? EXIT_DONE : say_err(&err);
}
