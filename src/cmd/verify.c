/* gait verify: is a profile possible? */
#include "base/err.h"
#include "cmd/cmd.h"
#include "cmd/options/view_options.h"
#include "analysis/verify/verify.h"
#include "view/views.h"

#include <stdio.h>

static const struct flag flags[] = {
    VIEW_INPUT,
    VIEW_MODULE("check only records of this module"),
    VIEW_JSON("as JSON, schema gait/verify/1"),
    VIEW_QUIET("print nothing if everything is good"),
    {0},
};

static const struct command_line this_command = {
    .usage = "usage: gait verify [options] [FILE]\n\nChecks that a profile (gait.data) is "
             "undamaged, consistent, and matches its binaries: edges,\nranges, sums and, in exact "
             "profiles, conserved flow. Exit status 1 if anything is wrong.\n",
    .flags = flags,
    .also = view_flags,
};

static int verify(const struct view_options *options, const struct profile *profile)
{
    struct scene scene;
    struct verification verdict;
    scene_open(&scene, &profile, 1, options->module);
    scene.verbose = true; /* whoever checks wants to see all losses */
    verify_profile(&verdict, &scene);
    bool good = verification_good(&verdict);
    if (!options->json)
        output_wrap();
    if (options->json)
        verify_json(stdout, &scene, &verdict);
    else if (!good || !options->quiet)
        verify_text(stdout, &scene, &verdict);
    verification_release(&verdict);
    scene_close(&scene);
    int status = output_status();
    return status == EXIT_DONE && !good ? EXIT_FAILED : status;
}

int cmd_verify(int argc, char **argv)
{
    struct view_options options = {0};
    struct err err;
    if (!flags_parse(&this_command, &options, argc, argv, &err))
        return say_err(&err);
    if (!view_input(&options, argc, argv, &err))
        return say_err(&err);
    struct profile profile;
    int status = profile_load_any(options.input, true, &profile);
    if (status != EXIT_DONE)
        return status;
    /* Damage is one of the checks; what is merely missing at the end is only mentioned. */
    if (profile.warning && !profile.damaged && !options.quiet)
        say("%s", profile.warning);
    status = verify(&options, &profile);
    profile_release(&profile);
    return status;
}
