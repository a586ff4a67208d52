/* gait stat: runs a program, once or several times, and prints what it took. */
#include "analysis/counts/scene.h"
#include "analysis/pipeline/run_sums.h"
#include "analysis/report/cost.h"
#include "base/err.h"
#include "base/memory.h"
#include "base/quote.h"
#include "cmd/cmd.h"
#include "cmd/ending.h"
#include "cmd/options/input.h"
#include "cmd/options/flags.h"
#include "cmd/stat/stat_rows.h"
#include "collect/recording.h"
#include "profile/file/file.h"

#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RUNS_MAX = 1000 };

struct options {
    const char *output;
    bool exact, no_model, json, quiet;
    uint32_t runs;
    double overhead;
    char *const *argv;
};

static const struct flag flags[] = {
    {"exact", 0, NULL, NULL,
     "count every instruction, branch and system call; the run takes longer",
     TAKE(set, struct options, exact)},
    {"repeat", 'r', "N", NULL, "run the program N times: means, with intervals (1)",
     TAKE(u32, struct options, runs), .low = 1, .high = RUNS_MAX,
     .expected = "a number of runs from 1 to 1000"},
    {"overhead", 0, "PCT", NULL, "CPU time that sampling may take (1%)",
     TAKE(number, struct options, overhead), .low = 0.01, .high = 100,
     .expected = "a percentage from 0.01 to 100"},
    {"no-model", 0, NULL, NULL, "do not run a core model: no misses",
     TAKE(set, struct options, no_model)},
    {"output", 'o', "FILE", NULL, "write the result there (standard error)",
     TAKE(text, struct options, output)},
    {"json", 0, NULL, NULL, "as JSON, schema gait/stat/1", TAKE(set, struct options, json)},
    {"quiet", 'q', NULL, NULL, "print nothing; only for -o", TAKE(set, struct options, quiet)},
    {0},
};

static const struct command_line this_command = {
    .usage = "usage: gait stat [options] [--] PROGRAM [ARGS...]\n\nRuns a program and prints what "
             "it took: time, instructions, branches, misses, system calls,\nfaults, context "
             "switches, memory.\n",
    .flags = flags,
    .before = true,
};

/* ---- one run */

static bool profile_add_up(const char *file, bool model, struct run_sums *ret_sums, struct err *err)
{
    struct profile profile;
    struct scene scene;
    const struct profile *side = &profile;
    if (!input_read(file, &profile, err))
        return false;
    scene_open(&scene, &side, 1, NULL);
    run_sums_make(ret_sums, &scene, model);
    scene_close(&scene);
    profile_release(&profile);
    return true;
}

static void recording_ask(const struct options *options, const char *file, const char *command,
                          struct recording_options *ret_walks)
{
    *ret_walks = (struct recording_options){
        .argv = options->argv,
        .command = command,
        .output = file,
        .record = {.mode = options->exact ? RECORD_EXACT_COUNTS : RECORD_SAMPLED,
                   .trigger = TRIGGER_AUTO,
                   .overhead_ppm = (uint32_t)(options->overhead * 1e4 + 0.5),
                   .events = EVENTS_EDGE | EVENTS_CALL | EVENTS_STACK}};
    if (!options->exact && !options->no_model)
        ret_walks->record.events |= EVENTS_ADDRESS; /* caches are modelled by them */
    if (getrandom(&ret_walks->record.seed, sizeof ret_walks->record.seed, 0) < 0)
        ret_walks->record.seed = 1;
}

/* What all runs have in common, and the last one's end. */
struct session {
    const struct options *options;
    struct stat_result result;
    struct stat_run *runs;
    struct recording recording; /* of the last run */
    double overheads;
    int status;
};

static void run_take(struct session *session, uint32_t run, const struct recording *recording,
                     const struct run_sums *sums)
{
    struct cost cost = cost_of(&recording->totals);
    stat_run_fill(&session->runs[run], recording, sums);
    session->result.whole &= recording->whole;
    session->overheads += cost.known ? cost.agent + cost.tool : (double)NAN;
    session->status = recording->status;
    session->result.addressed = sums->addressed;
    snprintf(session->result.core, sizeof session->result.core, "%s", sums->core);
}

/* EXIT_DONE, or an exit status after a message. */
static int run_once(struct session *session, uint32_t run, const char *file)
{
    const struct options *options = session->options;
    struct err err;
    struct recording_options walks;
    struct run_sums sums;
    struct recording *recording = &session->recording;
    recording_ask(options, file, session->result.command, &walks);
    if (!recording_run(&walks, recording, &err))
        return end_not_started(recording->exec_errno, &err);
    if (*recording->write_error)
        err_set(&err, ERR_SYSTEM, "the recording could not be written: %s", recording->write_error);
    else if (profile_add_up(file, !options->no_model && !options->exact, &sums, &err)) {
        run_take(session, run, recording, &sums);
        return EXIT_DONE;
    }
    say("%s", err.text);
    return EXIT_RECORD_FAILED;
}

/* ---- all */

static int result_write(const struct session *session)
{
    const struct options *options = session->options;
    FILE *to = options->output ? fopen(options->output, "we") : stderr;
    struct err err;
    if (!to) {
        err_errno(&err, "cannot write %s", options->output);
        say("%s", err.text);
        return EXIT_RECORD_FAILED;
    }
    (options->json ? stat_json : stat_text)(to, &session->result);
    bool written = !ferror(to);
    if (options->output)
        written = fclose(to) == 0 && written;
    if (!written)
        say("cannot write all of %s", options->output ? options->output : "the result");
    return written ? EXIT_DONE : EXIT_RECORD_FAILED;
}

static int runs_make(struct session *session, const char *file)
{
    uint32_t made = 0;
    int status = EXIT_DONE;
    while (made < session->options->runs && status == EXIT_DONE) {
        status = run_once(session, made, file);
        made += status == EXIT_DONE;
        if (made && WIFSIGNALED(session->status)) /* whoever ended it wants no more of them */
            break;
    }
    if (status != EXIT_DONE)
        return status;
    stat_result_fill(&session->result, session->runs, made);
    session->result.overhead = session->options->exact ? (double)NAN : session->overheads / made;
    status =
        session->options->quiet && !session->options->output ? EXIT_DONE : result_write(session);
    return status;
}

/* The recording is kept in a folder of its own, and nowhere after that. */
static int stat_session(struct session *session, struct arena *arena)
{
    const char *temporary = getenv("TMPDIR");
    char *folder =
        arena_format(arena, "%s/gait-stat-XXXXXX", temporary && *temporary ? temporary : "/tmp");
    if (!mkdtemp(folder)) {
        struct err err;
        err_errno(&err, "cannot make the folder %s", folder);
        say("%s", err.text);
        return EXIT_RECORD_FAILED;
    }
    const char *file = arena_format(arena, "%s/data", folder);
    int status = runs_make(session, file);
    unlink(file);
    unlink(arena_format(arena, "%s.old", file));
    rmdir(folder);
    return status;
}

int cmd_stat(int argc, char **argv)
{
    struct options options = {.runs = 1, .overhead = 1};
    struct arena arena = {0};
    struct err err;
    if (!flags_parse(&this_command, &options, argc, argv, &err))
        return say_err(&err);
    options.argv = argv + optind;
    if (!*options.argv) {
        err_set(&err, ERR_USAGE, "no program to run; see gait stat --help");
        return say_err(&err);
    }
    struct session session = {.options = &options,
                              .result = {.command = quote_words(&arena, options.argv),
                                         .exact = options.exact,
                                         .whole = true},
                              .runs = mem_alloc(options.runs * sizeof *session.runs)};
    int status = stat_session(&session, &arena);
    mem_free(session.runs);
    arena_release(&arena);
    return status == EXIT_DONE ? end_as(session.status) : status;
}
