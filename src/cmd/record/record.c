/* gait record: runs a program, or follows what runs, and writes its profile. */
#include "base/err.h"
#include "base/memory.h"
#include "cmd/cmd.h"
#include "cmd/ending.h"
#include "base/quote.h"
#include "cmd/record/progress.h"
#include "cmd/record/record_options.h"
#include "cmd/record/summary.h"
#include "cmd/view/view.h"

#include <unistd.h>

static int written(const char *write_error)
{
    if (!*write_error)
        return EXIT_DONE;
    say("the profile could not be written: %s", write_error);
    return EXIT_RECORD_FAILED;
}

/* Shows the profile, if that was asked for, and ends as the program did. */
static int show_and_end(const struct record_command *options, int status)
{
    if (options->view && view_profile(options->walks.output) != EXIT_DONE)
        return EXIT_RECORD_FAILED;
    return end_as(status);
}

static int record_walks(struct record_command *options)
{
    struct err err;
    struct recording recording;
    if (!options->quiet)
        options->walks.rest = progress_rest;
    options->walks.verbose = options->verbose;
    if (!recording_run(&options->walks, &recording, &err))
        return end_not_started(recording.exec_errno, &err);
    if (!options->quiet)
        summary_print(&options->walks, &recording, options->verbose);
    int failed = written(recording.write_error);
    /* What the program itself says of its end comes first. */
    if (!failed && recording.empty && recording.status == 0)
        failed = EXIT_RECORD_FAILED;
    return failed ? failed : show_and_end(options, recording.status);
}

/* Walks can stand in for samples of CPU time of a program that is started, and for nothing else. */
static bool walks_will_do(const struct record_command *options)
{
    const struct plain_options *plain = &options->plain;
    return *plain->argv && !plain->event && !plain->n_pids && !plain->all_cpus &&
           !plain->duration_ns;
}

static int record_plain(struct record_command *options)
{
    struct err err;
    struct plain_recording plain;
    if (!options->quiet && isatty(STDERR_FILENO))
        options->plain.progress = progress_print;
    bool begun = plain_run(&options->plain, &plain, &err);
    if (options->plain.progress)
        progress_erase();
    if (!begun && plain.denied && walks_will_do(options)) {
        say("%s", err.text);
        say("recording walks instead, by the CPU time of threads");
        return record_walks(options);
    }
    if (!begun)
        return end_not_started(plain.exec_errno, &err);
    if (!options->quiet)
        summary_plain(&options->plain, &plain, options->verbose);
    int failed = written(plain.write_error);
    return failed ? failed : show_and_end(options, plain.status);
}

int cmd_record(int argc, char **argv)
{
    struct record_command options;
    struct err err;
    if (!record_parse(&options, argc, argv, &err)) {
        say("%s", err.text);
        return EXIT_RECORD_FAILED;
    }
    if (options.view && !view_is_possible(&err)) {
        say("--view: %s", err.text);
        return EXIT_RECORD_FAILED;
    }
    struct arena arena = {0};
    options.walks.command = options.plain.command =
        *options.walks.argv ? quote_words(&arena, options.walks.argv)
                            : arena_format(&arena, "gait %s", quote_words(&arena, argv));
    int status = options.is_plain ? record_plain(&options) : record_walks(&options);
    selection_release(&options.only);
    if (options.walks.core)
        model_release(&options.core);
    arena_release(&arena);
    return status;
}
