/* gait export: a profile in the format of another tool. */
#include "base/err.h"
#include "cmd/carried.h"
#include "cmd/cmd.h"
#include "cmd/export_gcda.h"
#include "cmd/tools.h"
#include "cmd/options/view_options.h"
#include "cmd/view/html.h"
#include "cmd/view/routes.h"
#include "cmd/view/view.h"
#include "export/export.h"
#include "base/phase.h"
#include "base/place_file.h"
#include "profile/kernel_names.h"
#include "profile/waits.h"

#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct options {
    const char *input, *output, *notes, *event;
    struct viewed viewed; /* html: the input, or two to compare */
    struct html_options html;
    enum fit_voting voting;
    const struct exporter *exporter;
    struct export_options export;
    struct carry_options carry; /* binary is NULL: for the build that was recorded */
    bool has_weight, waits, quiet, no_inlines;
};

static bool take_format(void *to, const struct flag *flag, const char *name, struct err *err)
{
    struct options *options = to;
    char list[256] = "";
    size_t used = 0;
    (void)flag;
    if ((options->exporter = exporter_find(name)))
        return true;
    for (size_t i = 0; i < exporters_n && used + 32 < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "",
                                 exporters[i].name);
    return err_set(err, ERR_USAGE, "--format %s: expected one of %s", name, list);
}

enum { GCC_OLDEST = 5, GCC_NEWEST = 99 };

/* "13" or "13.2.0" */
static bool take_gcc(void *to, const struct flag *flag, const char *text, struct err *err)
{
    struct options *options = to;
    char *end;
    unsigned long version = strtoul(text, &end, 10);
    (void)flag, (void)err;
    if (end == text || (*end && *end != '.') || version < GCC_OLDEST || version > GCC_NEWEST)
        return false;
    options->export.gcc_version = (uint32_t)version;
    return true;
}

static bool take_raw_counts(void *to, const struct flag *flag, const char *value, struct err *err)
{
    struct options *options = to;
    (void)flag, (void)value, (void)err;
    options->export.raw = true;
    options->export.inferred = false;
    return true;
}

static bool take_method(void *to, const struct flag *flag, const char *value, struct err *err)
{
    struct options *options = to;
    options->export.inferred = true;
    options->export.raw = false;
    return !value || take_word(to, flag, value, err);
}

static bool take_sum(void *to, const struct flag *flag, const char *value, struct err *err)
{
    struct options *options = to;
    options->has_weight = true;
    options->waits = strcmp(value, "wait") == 0;
    if (!options->waits)
        return take_word(to, flag, value, err);
    options->export.weight = WEIGHT_TIME;
    return true;
}

static void formats_print(void)
{
    for (size_t i = 0; i < exporters_n; i++)
        printf("  %-18s %s (*%s)\n", exporters[i].name, exporters[i].what, exporters[i].ending);
}

/* A new build, or OLD=NEW as in views: where the recorded one is now. */
static bool take_binary(void *to, const struct flag *flag, const char *value, struct err *err)
{
    if (strchr(value, '='))
        return take_moved_binary(to, flag, value, err);
    ((struct options *)to)->carry.binary = value;
    return true;
}

static const struct flag flags[] = {
    {"format", 0, "NAME", NULL, "one of the formats below", .take = take_format},
    {"output", 'o', "OUT", NULL, "output file (standard output)",
     TAKE(text, struct options, output)},
    {"input", 'i', "FILE", NULL, "the profile", TAKE(text, struct options, input)},
    {"weight", 0, "WEIGHT", "count, time or wait",
     ": executed instructions; or CPU time, or the events of the recording (time if the profile "
     "has times); or time off the CPU",
     TAKE(sum, struct options, export.weight)},
    {"event", 0, "NAME", NULL, "samples of this event, of a profile with several",
     TAKE(text, struct options, event)},
    {"pid", 0, "PID", NULL, "this process only", TAKE(u32, struct options, export.filter.pid),
     .low = 1, .expected = "a process id"},
    {"tid", 0, "TID", NULL, "this thread only", TAKE(u32, struct options, export.filter.tid),
     .low = 1, .expected = "a thread id"},
    {"module", 0, "NAME", NULL, "only code of this module",
     TAKE(text, struct options, export.filter.module)},
    {"binary", 0, "NEW", NULL,
     "for another build of the program, or of --module: carry the profile over; see gait carry",
     .take = take_binary},
    VIEW_SYMFS,
    {"recorded", 0, "FILE", NULL, "a copy of the recorded build, if it is not where it was",
     TAKE(text, struct options, carry.recorded)},
    {"window", 0, "N", NULL, "perfetto: one window (all); gait windows lists them",
     TAKE(u32, struct options, export.window), .low = 1,
     .expected = "the number of a window, from 1 on"},
    {"functions", 0, "N", NULL, "html: number of functions with a page (20)",
     TAKE(u32, struct options, html.functions), .low = 1, .expected = "a number of functions"},
    {"graphs", 0, "N", NULL, "html: number of functions with a control flow graph (10)",
     TAKE(u32, struct options, html.graphs), .low = 1, .expected = "a number of functions"},
    {"windows", 0, "N", NULL, "html: number of windows with a page (5)",
     TAKE(u32, struct options, html.windows), .low = 1, .expected = "a number of windows"},
    {"size", 0, "MB", NULL, "html: the largest file, in MB (5)",
     TAKE(number, struct options, html.size_mb), .low = 1, .high = 1000,
     .expected = "a number of MB from 1 to 1000"},
    {"notes", 0, "FOLDER", NULL,
     "gcda: folder of gcc's .gcno files (.); .gcda files go beside them, or with -o FOLDER where "
     "-fprofile-use=FOLDER looks",
     TAKE(text, struct options, notes)},
    {"votes", 0, "HOW", "weighed, maximum or average",
     ": gcda: how to combine the counts of one of gcc's blocks (weighed)",
     TAKE(word, struct options, voting)},
    {"no-inline", 0, NULL, NULL, "leave out inlined functions",
     TAKE(set, struct options, no_inlines)},
    {"raw", 0, NULL, NULL, "counts as recorded", .take = take_raw_counts},
    {"inferred", 0, "[=HOW]", INFERRED_WORDS,
     ": make counts consistent, by these costs (sampled profiles: confidence)",
     TAKE(method, struct options, export.method)},
    {"gcc-version", 0, "N", NULL, "the gcc that will read it (the one on PATH)", .take = take_gcc,
     .expected = "a version from 5 on"},
    {"quiet", 'q', NULL, NULL, "do not mention damage", TAKE(set, struct options, quiet)},
    {0},
};

static const struct command_line this_command = {
    .usage = "usage: gait export --format NAME [options] [FILE]\n"
             "       gait export --format html [options] BEFORE AFTER\n"
             "\n"
             "Writes a profile (gait.data) in the format of another tool.\n",
    .flags = flags,
    .below = "formats:\n",
    .more = formats_print,
};

/* html is what commands print of the whole profile. */
static bool check_page(struct options *options, struct err *err)
{
    const struct export_options *export = &options->export;
    const char *other = options->has_weight     ? "weight"
                        : options->event        ? "event"
                        : export->filter.pid    ? "pid"
                        : export->filter.tid    ? "tid"
                        : export->filter.module ? "module"
                        : options->carry.binary ? "binary NEW"
                        : options->no_inlines   ? "no-inline"
                        : export->raw           ? "raw"
                        : export->inferred      ? "inferred"
                        : export->gcc_version   ? "gcc-version"
                                                : NULL;
    return !other || err_set(err, ERR_USAGE, "--%s is not for --format html", other);
}

static bool parse(struct options *options, int argc, char **argv, struct err *err)
{
    *options = (struct options){.input = "gait.data"};
    if (!flags_parse(&this_command, options, argc, argv, err))
        return false;
    options->export.inlined = !options->no_inlines;
    /* gait export collapsed FILE: many tools take it so. */
    if (optind < argc && !options->exporter && exporter_find(argv[optind]))
        options->exporter = exporter_find(argv[optind++]);
    if (optind < argc)
        options->input = argv[optind++];
    options->viewed = (struct viewed){.paths = {options->input}, .n = 1};
    if (optind < argc && options->exporter && options->exporter->source == EXPORT_PAGE)
        options->viewed.paths[options->viewed.n++] = argv[optind++];
    if (optind < argc && !options->exporter)
        return err_set(err, ERR_USAGE, "%s: no such format; see gait export --help",
                       options->input);
    if (optind < argc)
        return err_set(err, ERR_USAGE, "one file at a time; gait merge adds several up");
    if (!options->exporter)
        return err_set(err, ERR_USAGE, "no format: gait export --format NAME; see --help");
    if (options->carry.recorded && !options->carry.binary)
        return err_set(err, ERR_USAGE, "--recorded is for --binary NEW");
    if (options->output && strcmp(options->output, "-") == 0)
        options->output = NULL;
    if (options->export.window && options->exporter->source != EXPORT_WINDOWS)
        return err_set(err, ERR_USAGE, "--window is for --format perfetto");
    if (options->exporter->source == EXPORT_OBJECTS)
        return true;
    const struct html_options *html = &options->html;
    if (options->exporter->source != EXPORT_PAGE &&
        (html->functions || html->graphs || html->windows || html->size_mb > 0))
        return err_set(err, ERR_USAGE,
                       "--functions, --graphs, --windows and --size are for "
                       "--format html");
    if (options->notes || options->voting)
        return err_set(err, ERR_USAGE, "--%s is for --format gcda",
                       options->notes ? "notes" : "votes");
    if (options->exporter->binary && !options->output && isatty(STDOUT_FILENO))
        return err_set(err, ERR_USAGE, "%s is not for terminals: -o FILE", options->exporter->name);
    return options->exporter->source != EXPORT_PAGE || check_page(options, err);
}

static bool write_content(FILE *to, struct options *options, const struct profile *profile,
                          struct err *err)
{
    if (options->exporter->source == EXPORT_PAGE) {
        options->html.quiet = options->quiet;
        html_write(to, &options->viewed, &options->html);
        return true;
    }
    return export_profile(to, options->exporter, profile, &options->export, err) ||
           err_in(err, "%s", options->input);
}

static bool write_stream(FILE *to, struct options *options, const struct profile *profile,
                         struct err *err)
{
    bool ok = write_content(to, options, profile, err);
    bool written = !ferror(to);
    written = fclose(to) == 0 && written;
    return ok && (written || err_errno(err, "cannot write %s", options->output));
}

/* Beside it first: what cannot be written whole is not begun, and an old file stays. Exports can be
 * large, so they are not kept in memory. */
static bool write_file(struct options *options, const struct profile *profile, struct err *err)
{
    bool special = place_is_special(options->output);
    char temporary[PATH_MAX];
    int n = special ? snprintf(temporary, sizeof temporary, "%s", options->output)
                    : snprintf(temporary, sizeof temporary, "%s.%d.tmp", options->output,
                               (int)getpid());
    if (n < 0 || n >= PATH_MAX)
        return err_set(err, ERR_SYSTEM, "%s: the name is too long", options->output);
    FILE *to = fopen(temporary, special ? "we" : "wxe");
    if (!to)
        return err_errno(err, "cannot write %s", options->output);
    /* It may hold values of the program, and sources: as private as the profile. */
    if (!special && options->exporter->source == EXPORT_PAGE)
        fchmod(fileno(to), S_IRUSR | S_IWUSR);
    if (!write_stream(to, options, profile, err)) {
        if (!special)
            unlink(temporary);
        return false;
    }
    if (!special && rename(temporary, options->output) < 0) {
        err_errno(err, "cannot rename %s to %s", temporary, options->output);
        unlink(temporary);
        return false;
    }
    return true;
}

static int export(struct options *options, const struct profile *profile)
{
    struct err err;
    struct export_losses losses = {0};
    options->export.losses = &losses;
    if (options->exporter == exporter_find("gcc") && !options->export.gcc_version) {
        options->export.gcc_version = tool_version("gcc");
        if (options->export.gcc_version < GCC_OLDEST) {
            err_set(&err, ERR_USAGE,
                    "which gcc is to read it? --gcc-version N: there is none on PATH");
            return say_err(&err);
        }
    }
    if (!options->has_weight && profile)
        options->export.weight = profile->mode == PROFILE_EXACT ? WEIGHT_COUNT : WEIGHT_TIME;
    phase_set("writing", options->exporter->name);
    bool ok = options->output ? write_file(options, profile, &err)
                              : write_content(stdout, options, profile, &err);
    if (ok && losses.nameless && !options->quiet)
        say("not written: %" PRIu64
            " executions of branches in functions without a name, which BOLT cannot be told",
            losses.nameless);
    return ok ? output_status() : say_err(&err);
}

/* From here on the module is the other build. */
static int load_carried(struct options *options, struct profile *ret_profile)
{
    options->carry.module = options->export.filter.module;
    options->export.filter.module = options->carry.binary;
    return profile_load_carried(options->input, options->event, &options->carry, options->quiet,
                                ret_profile);
}

static int load(struct options *options, struct profile *ret_profile)
{
    if (options->carry.binary)
        return load_carried(options, ret_profile);
    int status = profile_load_event(options->input, options->quiet, options->event, ret_profile);
    if (status == EXIT_DONE)
        kernel_names_complete(ret_profile);
    return status;
}

static int weigh_waits(const struct options *options, struct profile *profile)
{
    struct err err;
    if (options->exporter->source != EXPORT_TREE && options->exporter->source != EXPORT_STACKS)
        err_set(&err, ERR_USAGE, "--weight wait is for formats of stacks, such as collapsed");
    else if (!profile_weigh_waits(profile))
        err_set(&err, ERR_FORMAT, "%s: no waits in it; gait waits says why", options->input);
    else
        return EXIT_DONE;
    profile_release(profile);
    return say_err(&err);
}

int cmd_export(int argc, char **argv)
{
    struct options options;
    struct err err;
    if (!parse(&options, argc, argv, &err))
        return say_err(&err);
    if (options.exporter->source == EXPORT_PAGE) {
        int loaded = viewed_load(&options.viewed, options.quiet);
        return loaded == EXIT_DONE ? export(&options, NULL) : loaded;
    }
    struct profile profile;
    int status = load(&options, &profile);
    if (status == EXIT_DONE && options.waits)
        status = weigh_waits(&options, &profile);
    if (status != EXIT_DONE)
        return status;
    status = options.exporter->source == EXPORT_OBJECTS
                 ? export_gcda(&profile, options.input,
                               &(struct gcda_options){.notes = options.notes ? options.notes : ".",
                                                      .folder = options.output,
                                                      .voting = options.voting,
                                                      .counts = &options.export},
                               options.quiet)
                 : export(&options, &profile);
    profile_release(&profile);
    return status;
}
