/* gait record: runs a program, or follows what runs, and writes its profile. */
#include "base/err.h"
#include "base/memory.h"
#include "cmd/cmd.h"
#include "cmd/ending.h"
#include "base/quote.h"
#include "cmd/record/progress.h"
#include "cmd/record/record_branches.h"
#include "cmd/record/record_options.h"
#include "cmd/record/summary.h"
#include "collect/perf/proc.h"
#include "collect/plain/branches.h"
#include "collect/plain/plain_rate.h"
#include "cmd/view/view.h"

#include <stdio.h>
#include <unistd.h>

static int written(const char *write_error)
{
    if (!*write_error)
        return EXIT_DONE;
    say("the profile could not be written: %s", write_error);
    return EXIT_RECORD_FAILED;
}

int record_show_and_end(const struct record_command *options, int status)
{
    if (options->view && view_profile(options->walks.output) != EXIT_DONE)
        return EXIT_RECORD_FAILED;
    return end_as(status);
}

static bool is_named(const struct record_command *options, int pid)
{
    for (size_t i = 0; i < options->plain.n_pids; i++)
        if (options->pids[i] == pid)
            return true;
    return false;
}

/* Processes that were started from now on are followed; what was started before is not. */
static void children_tell(const struct record_command *options)
{
    enum { CHILDREN = 64, SHOWN = 8 };
    int pids[CHILDREN];
    for (size_t i = 0; i < options->plain.n_pids && !options->quiet; i++) {
        char list[128] = "";
        size_t used = 0, n = proc_descendants(options->pids[i], pids, CHILDREN), others = 0;
        for (size_t k = 0; k < n && k < CHILDREN; k++) {
            if (is_named(options, pids[k]))
                continue;
            if (others++ < SHOWN)
                used += (size_t)snprintf(list + used, sizeof list - used, ",%d", pids[k]);
        }
        if (others)
            say("process %d has %zu child process%s not recorded; with %s: -p %d%s%s",
                options->pids[i], others, others == 1 ? " that is" : "es that are",
                others == 1 ? "it" : "them", options->pids[i], list, others > SHOWN ? ",..." : "");
    }
}

static int record_walks(struct record_command *options)
{
    struct err err;
    struct recording recording;
    children_tell(options);
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
    return failed ? failed : record_show_and_end(options, recording.status);
}

/* Walks can stand in for samples of CPU time of a program that is started, and for nothing else. */
static bool walks_will_do(const struct record_command *options)
{
    const struct plain_options *plain = &options->plain;
    return *plain->argv && !plain->event && !plain->n_pids && !plain->all_cpus &&
           !plain->duration_ns;
}

/* What everybody pays for keeps to the budget, unless a rate was asked for. */
static void rate_choose(struct record_command *options)
{
    struct plain_rate rate;
    struct err ignored; /* plain_run meets it again */
    bool asked = options->walks.record.fixed_hz || options->plain.event;
    if (options->plain.all_cpus && !asked &&
        plain_rate_find(&rate, true, options->walks.record.overhead_ppm, &ignored))
        options->plain.hz = rate.hz;
}

static int record_plain(struct record_command *options)
{
    struct err err;
    struct plain_recording plain;
    children_tell(options);
    rate_choose(options);
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
    return failed ? failed : record_show_and_end(options, plain.status);
}

/* Whichever is there: a sample of the processor costs no copies of code. */
static void branches_choose(struct record_command *options)
{
    struct err err;
    if (options->branches != BRANCHES_AUTO)
        return;
    bool granted = branches_granted(options->plain.hz, false, &err);
    options->branches = granted ? BRANCHES_LBR : BRANCHES_WALKS;
    if (!granted && !options->quiet)
        say("branches: by walks; %s", err.text);
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
    branches_choose(&options);
    int status = options.is_plain   ? record_plain(&options)
                 : options.branches ? record_branches(&options)
                                    : record_walks(&options);
    selection_release(&options.only);
    arena_release(&options.texts);
    if (options.walks.core)
        model_release(&options.core);
    arena_release(&arena);
    return status;
}
