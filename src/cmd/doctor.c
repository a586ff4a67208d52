/* gait doctor: what this machine offers, and what to type to get more. */
#include "base/err.h"
#include "cmd/cmd.h"
#include "cmd/options/flags.h"
#include "cmd/options/view_options.h"
#include "collect/doctor/findings.h"
#include "text/json.h"

#include <getopt.h>
#include <stdio.h>

struct options {
    bool json, quiet;
};

static const struct flag flags[] = {
    {"json", 0, NULL, NULL, "as JSON, schema gait/doctor/1", TAKE(set, struct options, json)},
    {"quiet", 'q', NULL, NULL, "only lines that are not good", TAKE(set, struct options, quiet)},
    {0},
};

static const struct command_line this_command = {
    .usage = "usage: gait doctor [options]\n\nTries everything that recording needs, and says what "
             "this machine permits, what that means,\nand what to type to get more. Exit status 0 "
             "if gait record works here, 1 if not.\n",
    .flags = flags,
};

static bool parse(struct options *options, int argc, char **argv, struct err *err)
{
    *options = (struct options){0};
    if (!flags_parse(&this_command, options, argc, argv, err))
        return false;
    if (optind < argc)
        return err_set(err, ERR_USAGE, "%s: doctor takes no arguments", argv[optind]);
    return true;
}

static void print_json(const struct findings *findings)
{
    struct json json;
    json_begin(&json, stdout);
    json_object(&json, NULL);
    json_string(&json, "schema", "gait/doctor/1");
    json_bool(&json, "records", findings->records);
    json_array(&json, "rows");
    for (size_t i = 0; i < findings->n; i++) {
        const struct finding *finding = &findings->at[i];
        json_object(&json, NULL);
        json_string(&json, "name", finding->name);
        json_string(&json, "value", finding->value);
        json_string(&json, "verdict", standing_name(finding->standing));
        json_string(&json, "meaning", finding->meaning);
        json_string(&json, "advice", finding->advice);
        json_object_end(&json);
    }
    json_array_end(&json);
    json_object_end(&json);
    json_end(&json);
}

static void print_text(const struct findings *findings, bool quiet)
{
    for (size_t i = 0; i < findings->n; i++) {
        const struct finding *finding = &findings->at[i];
        if (i == findings->verdicts_at && !quiet)
            puts("\nWhat works:");
        if (quiet && finding->standing <= STANDING_GOOD)
            continue;
        printf("%-8s %-15s %s%s%s\n", standing_name(finding->standing), finding->name,
               finding->value, *finding->meaning ? "; " : "", finding->meaning);
        if (*finding->advice)
            printf("%24s more:  %s\n", "", finding->advice);
    }
}

int cmd_doctor(int argc, char **argv)
{
    struct options options;
    struct err err;
    if (!parse(&options, argc, argv, &err))
        return say_err(&err);
    static struct machine machine; /* a page or two: not for the stack */
    struct findings findings;
    struct arena arena = {0};
    char *self[] = {(char[]){"/proc/self/exe"}, (char[]){"--version"}, NULL};
    machine_read(&machine, "");
    machine_try(&machine, self);
    findings_make(&findings, &arena, &machine);
    if (options.json) {
        print_json(&findings);
    } else {
        output_wrap();
        print_text(&findings, options.quiet);
    }
    int status = output_status();
    if (status == EXIT_DONE && !findings.records)
        status = EXIT_FAILED;
    vec_release(&findings);
    arena_release(&arena);
    return status;
}
