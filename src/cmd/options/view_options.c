#include "cmd/options/view_options.h"

#include "base/err.h"
#include "cmd/cmd.h"
#include "cmd/options/pager.h"
#include "profile/file/file.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
    OPTION_JSON = 256,
    OPTION_LIMIT,
    OPTION_BY,
    OPTION_WEIGHT,
    OPTION_MODULE,
    OPTION_FUNCTION,
    OPTION_PID,
    OPTION_TID,
    OPTION_RAW,
    OPTION_INFERRED,
    OPTION_COLOR,
    OPTION_NO_PAGER,
};

static const struct option long_options[] = {
    {"input", required_argument, NULL, 'i'},
    {"json", no_argument, NULL, OPTION_JSON},
    {"limit", required_argument, NULL, OPTION_LIMIT},
    {"by", required_argument, NULL, OPTION_BY},
    {"weight", required_argument, NULL, OPTION_WEIGHT},
    {"module", required_argument, NULL, OPTION_MODULE},
    {"function", required_argument, NULL, OPTION_FUNCTION},
    {"pid", required_argument, NULL, OPTION_PID},
    {"tid", required_argument, NULL, OPTION_TID},
    {"raw", no_argument, NULL, OPTION_RAW},
    {"inferred", optional_argument, NULL, OPTION_INFERRED},
    {"color", required_argument, NULL, OPTION_COLOR},
    {"no-pager", no_argument, NULL, OPTION_NO_PAGER},
    {"quiet", no_argument, NULL, 'q'},
    {"verbose", no_argument, NULL, 'v'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static bool parse_limit(struct view_options *options, const char *text, struct err *err)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (errno || end == text || *end || *text == '-')
        return err_set(err, ERR_USAGE, "--limit %s: not a number of rows", text);
    options->limit = (size_t)value;
    options->has_limit = true;
    return true;
}

static bool parse_color(struct view_options *options, const char *text, struct err *err)
{
    static const char *const names[] = {"auto", "always", "never"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(text, names[i]) == 0) {
            options->color = (enum color)i;
            return true;
        }
    return err_set(err, ERR_USAGE, "--color %s: auto, always or never", text);
}

static bool parse_id(const char *flag, const char *text, uint32_t *ret_id, struct err *err)
{
    char *end;
    errno = 0;
    unsigned long value = strtoul(text, &end, 10);
    if (errno || end == text || *end || *text == '-' || !value || value > UINT32_MAX)
        return err_set(err, ERR_USAGE, "%s %s: not the number of a process or thread", flag, text);
    *ret_id = (uint32_t)value;
    return true;
}

static bool parse_value(struct view_options *options, int option, const char *value,
                        struct err *err)
{
    switch (option) {
    case OPTION_LIMIT: return parse_limit(options, value, err);
    case OPTION_COLOR: return parse_color(options, value, err);
    case OPTION_PID: return parse_id("--pid", value, &options->pid, err);
    case OPTION_TID: return parse_id("--tid", value, &options->tid, err);
    case OPTION_BY:
        if (item_by_parse(value, &options->by))
            return true;
        return err_set(err, ERR_USAGE,
                       "--by %s: function, line, inline, block, edge, instruction, call or loop",
                       value);
    case OPTION_INFERRED:
        options->inferred = true;
        options->raw = false;
        if (!value || infer_method_parse(value, &options->method))
            return true;
        return err_set(err, ERR_USAGE, "--inferred=%s: confidence, levin, profi or static", value);
    case OPTION_WEIGHT:
        options->has_weight = true;
        if (weight_parse(value, &options->weight))
            return true;
        return err_set(err, ERR_USAGE, "--weight %s: count or time", value);
    default: return true;
    }
}

/* A view's own flags and behind them the shared: getopt takes the first of a name. */
static const struct option *all_options(const struct own_options *own)
{
    enum { ROOM = 64, SHARED = sizeof long_options / sizeof *long_options - 1 };
    static struct option all[ROOM];
    size_t n = 0;
    for (const struct option *option = own ? own->list : NULL; option && option->name; option++) {
        ASSERT(n + SHARED + 1 < ROOM && option->val >= VIEW_OPTION_OWN);
        all[n++] = *option;
    }
    memcpy(all + n, long_options, sizeof long_options);
    return all;
}

bool view_options_parse(struct view_options *options, const struct own_options *own, int argc,
                        char **argv, struct err *err)
{
    const struct option *all = all_options(own);
    int option;
    opterr = 0;
    while ((option = getopt_long(argc, argv, ":i:qvh", all, NULL)) != -1) {
        if (option >= VIEW_OPTION_OWN) {
            if (!own->take(own->to, option, optarg, err))
                return false;
            continue;
        }
        switch (option) {
        case 'i': options->input = optarg; break;
        case 'q': options->quiet = true; break;
        case 'v': options->verbose = true; break;
        case 'h': options->help = true; return true;
        case OPTION_JSON: options->json = true; break;
        case OPTION_MODULE: options->module = optarg; break;
        case OPTION_FUNCTION: options->function = optarg; break;
        case OPTION_NO_PAGER: options->no_pager = true; break;
        case OPTION_RAW:
            options->raw = true;
            options->inferred = false;
            break;
        case ':': return err_set(err, ERR_USAGE, "%s lacks its value", argv[optind - 1]);
        case '?':
            return err_set(err, ERR_USAGE, "%s: unknown option; see gait %s --help",
                           argv[optind - 1], argv[0]);
        default:
            if (!parse_value(options, option, optarg, err))
                return false;
        }
    }
    return true;
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

int profile_load_any(const char *path, bool quiet, struct profile *ret_profile)
{
    struct err err;
    if (!profile_read(path, ret_profile, &err)) {
        say_err(&err);
        if (err.kind == ERR_MISSING && strcmp(path, "gait.data") == 0)
            say("gait record -- PROGRAM makes one here; views take another as their argument");
        return EXIT_BAD_INPUT;
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
    say("there are no inferred counts here; --raw shows what was taken");
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
    if (people && !options->no_pager)
        pager_begin();
    return ink;
}

int output_status(void)
{
    if (pager_end())
        return EXIT_DONE;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return EXIT_DONE;
    say("cannot write: %s", strerror(errno));
    return EXIT_FAILED;
}

bool view_input(struct view_options *options, int argc, char **argv, struct err *err)
{
    if (optind < argc)
        options->input = argv[optind++];
    if (optind < argc)
        return err_set(err, ERR_USAGE, "one file at a time; gait merge adds several up");
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

bool percent_parse(const char *flag, const char *text, double *ret_percent, struct err *err)
{
    char *end;
    double value = strtod(text, &end);
    if (end != text && *end == '%')
        end++;
    if (end == text || *end || !(value >= 0 && value <= 100))
        return err_set(err, ERR_USAGE, "%s %s: not a percentage", flag, text);
    *ret_percent = value;
    return true;
}
