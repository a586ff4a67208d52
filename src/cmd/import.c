/* gait import: what another tool took, as a profile. */
#include "import/import.h"
#include "base/err.h"
#include "cmd/cmd.h"
#include "cmd/options/flags.h"
#include "cmd/options/view_options.h"
#include "import/perf_data.h"
#include "profile/file/file.h"

#include <getopt.h>
#include <inttypes.h>
#include <string.h>

struct options {
    const char *output, *binary;
    bool quiet, records;
};

static const struct flag flags[] = {
    {"output", 'o', "OUT", NULL, "the profile; an existing file is moved to OUT.old",
     TAKE(text, struct options, output)},
    {"binary", 0, "PROGRAM", NULL,
     "fdata: the program; perf.data: a file to use for the recorded one of that name",
     TAKE(text, struct options, binary)},
    {"records", 0, NULL, NULL, "print each hardware record of a perf.data, and write no profile",
     TAKE(set, struct options, records)},
    {"quiet", 'q', NULL, NULL, "print nothing", TAKE(set, struct options, quiet)},
    {0},
};

static const struct command_line this_command = {
    .usage = "usage: gait import [--binary PROGRAM] -o OUT FILE\n       gait import --records "
             "FILE\n\nTurns data of another tool into a profile; the format is recognised by "
             "content. Counts of callgrind\n(--dump-instr=yes --collect-jumps=yes) or BOLT (fdata "
             "of llvm-bolt -instrument) become an exact\nprofile; samples of perf become a plain "
             "one, with hardware records (IBS, SPE, PEBS),\nor a sampled one, with branch records "
             "(perf record -b, or perf script -F ip,brstack).\n",
    .flags = flags,
};

static bool parse(struct options *options, int argc, char **argv, struct err *err)
{
    *options = (struct options){0};
    if (!flags_parse(&this_command, options, argc, argv, err))
        return false;
    if (!options->output && !options->records)
        return err_set(err, ERR_USAGE, "no output file: gait import -o OUT FILE");
    if (argc - optind != 1)
        return err_set(err, ERR_USAGE, "expected one file: gait import -o OUT FILE");
    return true;
}

/* ---- records of hardware, part by part */

static void record_begin(void *closure, uint64_t offset, const char *origin)
{
    bool *any = closure;
    printf("%s%#" PRIx64 " %s", *any ? "\n" : "", offset, origin);
    *any = true;
}

static void part_print(void *closure, const char *name, uint64_t value)
{
    (void)closure;
    printf(" %s=%#" PRIx64, name, value);
}

static int records_print(const char *path)
{
    struct import_bytes bytes;
    struct err err;
    bool any = false;
    struct perf_listener listener = {record_begin, {part_print, &any}};
    FILE *from = fopen(strcmp(path, "-") == 0 ? "/dev/stdin" : path, "re");
    bool ok = from ? import_bytes(from, &bytes, &err) : err_errno(&err, "%s", path);
    if (from)
        fclose(from);
    if (!ok)
        return say_err(&err);
    ok = perf_data_tell(bytes.at, bytes.n, &listener, &err) || err_in(&err, "%s", path);
    vec_release(&bytes);
    if (any)
        putchar('\n');
    return ok ? output_status() : say_err(&err);
}

/* ---- the command */

static void import_say(const char *output, const struct profile *profile)
{
    if (profile->mode == PROFILE_PLAIN)
        say("wrote %s: %llu samples, %zu records of hardware, in %zu modules", output,
            (unsigned long long)profile->totals.interrupts, profile->samples.n, profile->modules.n);
    else
        say("wrote %s: %llu instructions in %zu modules", output,
            (unsigned long long)profile->totals.instructions, profile->modules.n);
    for (int i = 0; i < LOSS_N; i++)
        if (profile->totals.losses[i])
            say("lost: %llu x %s", (unsigned long long)profile->totals.losses[i],
                loss_text((enum loss)i));
    for (size_t i = 0; i < profile->other_losses.n; i++)
        say("lost: %llu x %s", (unsigned long long)profile->other_losses.at[i].n,
            profile->other_losses.at[i].name);
}

int cmd_import(int argc, char **argv)
{
    struct options options;
    struct profile profile;
    struct err err;
    if (!parse(&options, argc, argv, &err))
        return say_err(&err);
    if (options.records)
        return records_print(argv[optind]);
    if (!import_file(&profile, argv[optind], options.binary, &err))
        return say_err(&err);
    bool ok = profile_write(options.output, &profile, &err);
    if (ok && !options.quiet)
        import_say(options.output, &profile);
    profile_release(&profile);
    return ok ? EXIT_DONE : say_err(&err);
}
