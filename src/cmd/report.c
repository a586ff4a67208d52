/* gait report: what ran, heaviest first. */
#include "base/err.h"
#include "cmd/cmd.h"
#include "cmd/view_options.h"
#include "view/report.h"

#include <getopt.h>
#include <stdint.h>
#include <stdio.h>

static const char usage[] =
    "usage: gait report [options] [FILE]\n"
    "\n"
    "Shows what ran (gait.data), heaviest first, each figure with its 95 % interval.\n"
    "\n"
    "  -i FILE            the profile, as an option\n"
    "  --by KEY           function, line, block, edge, instruction or call (function)\n"
    "  --weight WEIGHT    count: executions, of functions and lines executed instructions;\n"
    "                     time: user CPU time (time for sampled functions and lines, else count)\n"
    "  --module NAME      this module only\n"
    "  --limit N          so many rows (20; with --json all)\n"
    "  --json             as JSON, schema gait/report/1\n"
    "  --raw, --inferred  the counts as they were taken; inferred ones do not exist yet\n"
    "  -q                 do not mention damage\n";

enum { TEXT_ROWS = 20 };

static bool check(struct view_options *options, int argc, char **argv, struct err *err)
{
    if (optind < argc)
        options->input = argv[optind++];
    if (optind < argc)
        return err_set(err, ERR_USAGE, "one file at a time; gait merge adds several up");
    if (!options->input)
        options->input = "gait.data";
    if (options->weight == WEIGHT_TIME && (options->by == BY_EDGE || options->by == BY_CALL))
        return err_set(err, ERR_USAGE, "edges and calls take no time: --weight count");
    return true;
}

static int report(struct view_options *options, const struct profile *profile)
{
    bool body = options->by == BY_FUNCTION || options->by == BY_LINE;
    struct err err;
    if (!options->has_weight)
        options->weight = body && profile->mode != PROFILE_EXACT ? WEIGHT_TIME : WEIGHT_COUNT;
    if (options->weight == WEIGHT_TIME && profile->mode == PROFILE_EXACT) {
        err_set(&err, ERR_FORMAT, "%s: an exact profile has no times: --weight count",
                options->input);
        return say_err(&err);
    }
    struct scene scene;
    struct report report;
    scene_open(&scene, &profile, 1, options->module);
    report_make(&report, &scene, options->by, options->weight);
    if (options->json)
        report_json(stdout, &report, options->has_limit ? options->limit : SIZE_MAX);
    else
        report_text(stdout, &report, options->has_limit ? options->limit : TEXT_ROWS);
    report_release(&report);
    scene_close(&scene);
    return output_status();
}

int cmd_report(int argc, char **argv)
{
    struct view_options options = {.by = BY_FUNCTION};
    struct err err;
    if (!view_options_parse(&options, NULL, argc, argv, &err))
        return say_err(&err);
    if (options.help) {
        fputs(usage, stdout);
        return EXIT_DONE;
    }
    if (!check(&options, argc, argv, &err))
        return say_err(&err);
    if (options.inferred)
        return say_not_inferred();
    struct profile profile;
    int status = profile_load(options.input, options.quiet, &profile);
    if (status != EXIT_DONE)
        return status;
    status = report(&options, &profile);
    profile_release(&profile);
    return status;
}
