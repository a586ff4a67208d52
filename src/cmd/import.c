/* gait import: counts that another tool took, as a profile. */
#include "import/import.h"
#include "base/err.h"
#include "cmd/cmd.h"
#include "cmd/flags.h"
#include "profile/file.h"

#include <getopt.h>

static const char usage[] =
    "usage: gait import [--binary PROGRAM] -o OUT FILE\n"
    "\n"
    "Makes an exact profile of counts that another tool took, told by content: callgrind\n"
    "(--dump-instr=yes --collect-jumps=yes), or BOLT's fdata (llvm-bolt -instrument). What for:\n"
    "gait compare OUT FILE.\n"
    "\n"
    "  -o OUT             the profile; an existing file is moved to OUT.old\n"
    "  --binary PROGRAM   what fdata are about\n"
    "  -q                 say nothing\n";

struct options {
    const char *output, *binary;
    bool quiet, help;
};

static bool parse(struct options *options, int argc, char **argv, struct err *err)
{
    const struct flag flags[] = {
        {"output", 'o', NULL, &options->output},
        {"binary", 0, NULL, &options->binary},
        {"quiet", 'q', &options->quiet, NULL},
        {0},
    };
    *options = (struct options){0};
    if (!flags_parse(flags, &options->help, argc, argv, err) || options->help)
        return options->help;
    if (!options->output)
        return err_set(err, ERR_USAGE, "where to? gait import -o OUT FILE");
    if (argc - optind != 1)
        return err_set(err, ERR_USAGE, "one file is imported: gait import -o OUT FILE");
    return true;
}

int cmd_import(int argc, char **argv)
{
    struct options options;
    struct profile profile;
    struct err err;
    if (!parse(&options, argc, argv, &err))
        return say_err(&err);
    if (options.help)
        return show_usage(usage);
    if (!import_file(&profile, argv[optind], options.binary, &err))
        return say_err(&err);
    bool ok = profile_write(options.output, &profile, &err);
    if (ok && !options.quiet)
        say("wrote %s: %llu instructions in %zu modules", options.output,
            (unsigned long long)profile.totals.instructions, profile.modules.n);
    if (ok && !options.quiet && profile.totals.losses[LOSS_uncounted])
        say("lost: %llu x %s", (unsigned long long)profile.totals.losses[LOSS_uncounted],
            loss_text(LOSS_uncounted));
    profile_release(&profile);
    return ok ? EXIT_DONE : say_err(&err);
}
