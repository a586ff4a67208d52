/* gait export: a profile in the format of another tool. */
#include "base/err.h"
#include "cmd/carried.h"
#include "cmd/cmd.h"
#include "cmd/export_gcda.h"
#include "cmd/tools.h"
#include "cmd/options/view_options.h"
#include "export/export.h"
#include "base/place_file.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "usage: gait export --format NAME [options] [FILE]\n"
    "\n"
    "Writes a profile (gait.data) in the format of another tool.\n"
    "\n"
    "  --format NAME      one of those below\n"
    "  -o OUT             where to (standard output)\n"
    "  -i FILE            the profile, as an option\n"
    "  --weight WEIGHT    time: CPU time, or the events of the recording;\n"
    "                     count: executed instructions (time if the profile has times)\n"
    "  --pid PID          this process only; of what was walked, its time\n"
    "  --tid TID          this thread only; the same\n"
    "  --module NAME      what ran in this module only\n"
    "  --binary NEW       for another build of the program, or of --module: what was recorded\n"
    "                     is carried over as far as it goes; see gait carry\n"
    "  --recorded FILE    a copy of the build that was recorded, if it is not where it was\n"
    "  --notes FOLDER     gcda: where gcc left its .gcno files (.); -o FOLDER is then\n"
    "                     for -fprofile-use=FOLDER, without it they go beside the notes\n"
    "  --votes HOW        gcda: what was seen of one of gcc's blocks is weighed, or its\n"
    "                     maximum or average is taken, as compilers do with samples\n"
    "  --no-inline        leave out inlined functions\n"
    "  --raw              counts of executions as they were taken\n"
    "  --inferred[=HOW]   made consistent: confidence, levin, profi or static costs\n"
    "                     (of sampled profiles: confidence)\n"
    "  --gcc-version N    what gcc is to read it (that on PATH)\n"
    "  -q                 do not mention damage\n"
    "\n"
    "formats:\n";

struct options {
    const char *input, *output, *notes;
    enum fit_voting voting;
    const struct exporter *exporter;
    struct export_options export;
    struct carry_options carry; /* binary is NULL: for the build that was recorded */
    bool has_weight, quiet, help;
};

enum {
    OPTION_FORMAT = 256,
    OPTION_WEIGHT,
    OPTION_PID,
    OPTION_TID,
    OPTION_MODULE,
    OPTION_NO_INLINE,
    OPTION_GCC_VERSION,
    OPTION_RAW,
    OPTION_INFERRED,
    OPTION_NOTES,
    OPTION_VOTES,
    OPTION_BINARY,
    OPTION_RECORDED,
};

static const struct option long_options[] = {
    {"format", required_argument, NULL, OPTION_FORMAT},
    {"output", required_argument, NULL, 'o'},
    {"input", required_argument, NULL, 'i'},
    {"weight", required_argument, NULL, OPTION_WEIGHT},
    {"pid", required_argument, NULL, OPTION_PID},
    {"tid", required_argument, NULL, OPTION_TID},
    {"module", required_argument, NULL, OPTION_MODULE},
    {"notes", required_argument, NULL, OPTION_NOTES},
    {"votes", required_argument, NULL, OPTION_VOTES},
    {"binary", required_argument, NULL, OPTION_BINARY},
    {"recorded", required_argument, NULL, OPTION_RECORDED},
    {"no-inline", no_argument, NULL, OPTION_NO_INLINE},
    {"raw", no_argument, NULL, OPTION_RAW},
    {"inferred", optional_argument, NULL, OPTION_INFERRED},
    {"gcc-version", required_argument, NULL, OPTION_GCC_VERSION},
    {"quiet", no_argument, NULL, 'q'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static bool parse_format(const char *name, const struct exporter **ret_exporter, struct err *err)
{
    char list[256] = "";
    size_t used = 0;
    *ret_exporter = exporter_find(name);
    if (*ret_exporter)
        return true;
    for (size_t i = 0; i < exporters_n && used + 32 < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "",
                                 exporters[i].name);
    return err_set(err, ERR_USAGE, "--format %s: not one of %s", name, list);
}

static bool parse_id(const char *option, const char *text, uint32_t *ret_id, struct err *err)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (errno || end == text || *end || *text == '-' || !value || value > UINT32_MAX)
        return err_set(err, ERR_USAGE, "%s %s: not a number of one", option, text);
    *ret_id = (uint32_t)value;
    return true;
}

enum { GCC_OLDEST = 5, GCC_NEWEST = 99 };

static bool parse_gcc(const char *text, uint32_t *ret_version, struct err *err)
{
    char *end;
    unsigned long version = strtoul(text, &end, 10);
    if (end == text || (*end && *end != '.') || version < GCC_OLDEST || version > GCC_NEWEST)
        return err_set(err, ERR_USAGE, "--gcc-version %s: not a version from 5 on", text);
    *ret_version = (uint32_t)version;
    return true;
}

static bool parse_value(struct options *options, int option, struct err *err)
{
    switch (option) {
    case OPTION_FORMAT: return parse_format(optarg, &options->exporter, err);
    case OPTION_PID: return parse_id("--pid", optarg, &options->export.filter.pid, err);
    case OPTION_TID: return parse_id("--tid", optarg, &options->export.filter.tid, err);
    case OPTION_INFERRED:
        options->export.inferred = true;
        options->export.raw = false;
        if (!optarg || infer_method_parse(optarg, &options->export.method))
            return true;
        return err_set(err, ERR_USAGE, "--inferred=%s: confidence, levin, profi or static", optarg);
    case OPTION_VOTES:
        return fit_voting_parse(optarg, &options->voting) ||
               err_set(err, ERR_USAGE, "--votes %s: weighed, maximum or average", optarg);
    case OPTION_GCC_VERSION: return parse_gcc(optarg, &options->export.gcc_version, err);
    case OPTION_MODULE: options->export.filter.module = optarg; return true;
    case OPTION_WEIGHT:
        options->has_weight = true;
        if (weight_parse(optarg, &options->export.weight))
            return true;
        return err_set(err, ERR_USAGE, "--weight %s: count or time", optarg);
    default: return true;
    }
}

static bool parse(struct options *options, int argc, char **argv, struct err *err)
{
    int option;
    *options = (struct options){.input = "gait.data", .export.inlined = true};
    opterr = 0;
    while ((option = getopt_long(argc, argv, ":o:i:qh", long_options, NULL)) != -1) {
        switch (option) {
        case 'o': options->output = optarg; break;
        case 'i': options->input = optarg; break;
        case 'q': options->quiet = true; break;
        case 'h': options->help = true; return true;
        case OPTION_NOTES: options->notes = optarg; break;
        case OPTION_BINARY: options->carry.binary = optarg; break;
        case OPTION_RECORDED: options->carry.recorded = optarg; break;
        case OPTION_NO_INLINE: options->export.inlined = false; break;
        case OPTION_RAW:
            options->export.raw = true;
            options->export.inferred = false;
            break;
        case ':': return err_set(err, ERR_USAGE, "%s lacks its value", argv[optind - 1]);
        case '?':
            return err_set(err, ERR_USAGE, "%s: unknown option; see gait export --help",
                           argv[optind - 1]);
        default:
            if (!parse_value(options, option, err))
                return false;
        }
    }
    if (optind < argc)
        options->input = argv[optind++];
    if (optind < argc)
        return err_set(err, ERR_USAGE, "one file at a time; gait merge adds several up");
    if (!options->exporter)
        return err_set(err, ERR_USAGE, "which format? gait export --format NAME; see --help");
    if (options->carry.recorded && !options->carry.binary)
        return err_set(err, ERR_USAGE, "--recorded is for --binary NEW");
    if (options->output && strcmp(options->output, "-") == 0)
        options->output = NULL;
    if (options->exporter->source == EXPORT_OBJECTS)
        return true;
    if (options->notes || options->voting)
        return err_set(err, ERR_USAGE, "--%s is for --format gcda",
                       options->notes ? "notes" : "votes");
    if (options->exporter->binary && !options->output && isatty(STDOUT_FILENO))
        return err_set(err, ERR_USAGE, "%s is not for terminals: -o FILE", options->exporter->name);
    return true;
}

static void print_help(void)
{
    fputs(usage, stdout);
    for (size_t i = 0; i < exporters_n; i++)
        printf("  %-18s %s (*%s)\n", exporters[i].name, exporters[i].what, exporters[i].ending);
}

static bool write_stream(FILE *to, const struct options *options, const struct profile *profile,
                         struct err *err)
{
    bool ok = export_profile(to, options->exporter, profile, &options->export, err) ||
              err_in(err, "%s", options->input);
    bool written = !ferror(to);
    written = fclose(to) == 0 && written;
    return ok && (written || err_errno(err, "cannot write %s", options->output));
}

/* Beside it first: what cannot be written whole is not begun, and an old file stays. Exports can be
 * large, so they are not kept in memory. */
static bool write_file(const struct options *options, const struct profile *profile,
                       struct err *err)
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
    if (!options->has_weight)
        options->export.weight = profile->mode == PROFILE_EXACT ? WEIGHT_COUNT : WEIGHT_TIME;
    bool ok = options->output
                  ? write_file(options, profile, &err)
                  : export_profile(stdout, options->exporter, profile, &options->export, &err) ||
                        err_in(&err, "%s", options->input);
    if (ok && losses.nameless && !options->quiet)
        say("not written: %" PRIu64
            " executions of branches in functions without a name, which BOLT cannot be told",
            losses.nameless);
    return ok ? output_status() : say_err(&err);
}

/* From here on the module is the other build. */
static int export_carried(struct options *options, struct profile *profile)
{
    options->carry.module = options->export.filter.module;
    options->export.filter.module = options->carry.binary;
    return profile_carry(profile, options->input, &options->carry, options->quiet);
}

int cmd_export(int argc, char **argv)
{
    struct options options;
    struct err err;
    if (!parse(&options, argc, argv, &err))
        return say_err(&err);
    if (options.help) {
        print_help();
        return EXIT_DONE;
    }
    struct profile profile;
    int status = profile_load(options.input, options.quiet, &profile);
    if (status == EXIT_DONE && options.carry.binary)
        status = export_carried(&options, &profile);
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
