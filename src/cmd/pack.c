/* gait pack: makes a profile complete for machines without the files that ran. */
#include "base/err.h"
#include "cmd/cmd.h"
#include "cmd/options/flags.h"
#include "cmd/options/view_options.h"
#include "keep/gather.h"
#include "keep/module_open.h"
#include "keep/sources.h"
#include "profile/file/file.h"
#include "profile/kernel_names.h"
#include "profile/places.h"

#include <getopt.h>
#include <stdio.h>

struct options {
    const char *input, *output;
    bool sources, quiet;
};

static const struct flag flags[] = {
    {"input", 'i', "FILE", NULL, "the profile", TAKE(text, struct options, input)},
    {"output", 'o', "OUT", NULL, "the result (FILE itself); an existing file is moved to OUT.old",
     TAKE(text, struct options, output)},
    {"sources", 0, NULL, NULL, "take the texts of source files along, too",
     TAKE(set, struct options, sources)},
    VIEW_BINARY_SHOWN,
    VIEW_SYMFS_SHOWN,
    {"quiet", 'q', NULL, NULL, "print nothing", TAKE(set, struct options, quiet)},
    {0},
};

static const struct command_line this_command = {
    .usage = "usage: gait pack [options] [FILE]\n\nPuts into a profile (gait.data) what views need "
             "on a machine without the program: names, code,\nlines and inlined functions of what "
             "ran, and names of kernel functions. Run it where it was recorded.\n",
    .flags = flags,
};

static bool parse(struct options *options, int argc, char **argv, struct err *err)
{
    *options = (struct options){.input = "gait.data"};
    if (!flags_parse(&this_command, options, argc, argv, err))
        return false;
    if (optind < argc)
        options->input = argv[optind++];
    if (optind < argc)
        return err_set(err, ERR_USAGE, "one file at a time; gait merge adds several up");
    if (!options->output)
        options->output = options->input;
    return true;
}

/* Modules with code that is neither kept nor there. */
static void missing_say(const struct profile *profile, const struct places *places)
{
    for (uint32_t i = 0; i < profile->modules.n; i++) {
        size_t n;
        uint64_t first = 0;
        enum place_seen kind;
        kept_of(&profile->kept, i, KEPT_MODULE, &n);
        const char *path = profile->modules.at[i].path;
        if (!n && places_next(places, i, &first, &kind) && path[0] != '[')
            say("%s: not there, or another build: not kept; --binary %s=NEW if it was moved", path,
                path);
    }
}

/* A recording in haste divides code and starts otherwise: of a module that is read again, what it
 * kept would be mixed with what is whole. */
static void hasty_drop(struct profile *profile, const struct kept_parts *whole)
{
    struct kept_parts *kept = &profile->kept;
    size_t n = 0, any;
    for (size_t i = 0; i < kept->n; i++) {
        kept_of(whole, kept->at[i].module, KEPT_FUNCTION, &any);
        if (!any || kept->at[i].kind == KEPT_SOURCE)
            kept->at[n++] = kept->at[i];
    }
    kept->n = n;
}

static void pack(struct profile *profile, const struct options *options)
{
    struct places places = {0};
    struct keep_result result;
    uint32_t *modules = mem_alloc((profile->modules.n + 1) * sizeof *modules);
    for (uint32_t i = 0; i < profile->modules.n; i++)
        modules[i] = i;
    kernel_names_complete(profile);
    places_mark_profile(&places, profile, modules, true);
    gather(&result, profile, &places, (struct gather_wish){0}, NULL);
    hasty_drop(profile, &result.kept);
    for (size_t i = 0; i < result.kept.n; i++)
        kept_add(&profile->kept, &profile->arena, &result.kept.at[i]);
    kept_sort(&profile->kept);
    size_t lacking = options->sources ? sources_keep(&profile->kept, &profile->arena) : 0;
    if (!options->quiet)
        missing_say(profile, &places);
    if (!options->quiet && lacking)
        say("%zu source files are not there: not taken along", lacking);
    keep_result_release(&result);
    places_release(&places);
    mem_free(modules);
}

int cmd_pack(int argc, char **argv)
{
    struct options options;
    struct profile profile;
    struct err err;
    if (!parse(&options, argc, argv, &err))
        return say_err(&err);
    int status = profile_load(options.input, options.quiet, &profile);
    if (status != EXIT_DONE)
        return status;
    pack(&profile, &options);
    bool ok = profile_write(options.output, &profile, &err);
    profile_release(&profile);
    return ok ? EXIT_DONE : say_err(&err);
}
