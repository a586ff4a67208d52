/* gait optimize: records a program, has it made anew from what was seen, and measures what that gained. */
#include "cmd/optimize.h"

#include "base/err.h"
#include "base/quote.h"
#include "cmd/cmd.h"
#include "cmd/flags.h"
#include "cmd/tools.h"
#include "program/image.h"
#include "view/json.h"

#include <dirent.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const char usage[] =
    "usage: gait optimize --with TOOL [options] [--] PROGRAM [ARGUMENT...]\n"
    "\n"
    "Records the program, makes a faster one of what was seen, checks that it does the same, and\n"
    "measures both in turn. The command is run several times, each time with the same input.\n"
    "\n"
    "  --with TOOL        bolt, clang or gcc: what makes the faster program\n"
    "  --build COMMAND    clang, gcc: builds PROGRAM, with what is in CFLAGS and GAIT_CFLAGS;\n"
    "                     without it the profile is left, and how to build is told\n"
    "  -o OUT             bolt: the new program (PROGRAM.bolt); others: the profile\n"
    "  --input FILE       what the program reads from standard input (nothing)\n"
    "  --exact            count every execution (of programs that take less than 2 s)\n"
    "  --overhead PCT     what sampling may cost otherwise (5 %)\n"
    "  --runs N           pairs of runs to measure (5 to 30, in half a minute)\n"
    "  --json             the result as JSON\n"
    "  --keep             keep the folder with profile and messages\n"
    "  -q                 do not say what is going on\n";

/* Shorter ones are recorded exactly: too few samples would fall into them. */
static const double exact_below_s = 2;

/* ---- options */

static bool with_parse(const char *text, enum optimizer *ret_with, struct err *err)
{
    static const char *const names[] = {
        [WITH_BOLT] = "bolt", [WITH_CLANG] = "clang", [WITH_GCC] = "gcc"};
    if (!text)
        return err_set(err, ERR_USAGE, "with what? gait optimize --with bolt, clang or gcc");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(text, names[i]) == 0) {
            *ret_with = (enum optimizer)i;
            return true;
        }
    return err_set(err, ERR_USAGE, "--with %s: bolt, clang or gcc", text);
}

enum { RUNS_MAX = 500 };

static bool parse(struct optimize *optimize, int argc, char **argv, struct err *err)
{
    const char *with = NULL, *runs = NULL;
    const struct flag flags[] = {
        {"with", 0, NULL, &with},
        {"build", 0, NULL, &optimize->build},
        {"output", 'o', NULL, &optimize->output},
        {"input", 0, NULL, &optimize->input},
        {"exact", 0, &optimize->exact, NULL},
        {"overhead", 0, NULL, &optimize->overhead},
        {"runs", 0, NULL, &runs},
        {"json", 0, &optimize->json, NULL},
        {"keep", 0, &optimize->keep, NULL},
        {"quiet", 'q', &optimize->quiet, NULL},
        {0},
    };
    *optimize = (struct optimize){.input = "/dev/null"};
    if (!flags_parse_before(flags, &optimize->help, argc, argv, err) || optimize->help)
        return optimize->help;
    optimize->argv = argv + optind;
    if (!with_parse(with, &optimize->with, err))
        return false;
    if (!*optimize->argv)
        return err_set(err, ERR_USAGE, "which program? gait optimize --with %s -- PROGRAM", with);
    if (optimize->build && optimize->with == WITH_BOLT)
        return err_set(err, ERR_USAGE, "--build is for clang and gcc: BOLT works on the program");
    if (optimize->exact && optimize->overhead)
        return err_set(err, ERR_USAGE, "--exact has no --overhead to keep to");
    char *end = NULL;
    unsigned long n = runs ? strtoul(runs, &end, 10) : 0;
    if (runs && (end == runs || *end || n < 2 || n > RUNS_MAX))
        return err_set(err, ERR_USAGE, "--runs %s: not a number from 2 to %d", runs, RUNS_MAX);
    optimize->runs = (unsigned)n;
    return true;
}

/* ---- what parts need */

bool optimize_tool(struct optimize *optimize, char *const *argv, const char *log, struct err *err)
{
    struct trial trial = {argv[0], argv, "/dev/null", environ};
    struct trial_result result;
    if (!trial_run(&trial, NULL, log, &result, err))
        return false;
    if (!WIFEXITED(result.status) || WEXITSTATUS(result.status) != 0)
        return err_set(err, ERR_SYSTEM, "%s: %s", status_text(&optimize->arena, result.status),
                       file_tail(&optimize->arena, log));
    return true;
}

/* Words for a run of gait itself, the program's behind them. */
static char **gait_words(struct optimize *optimize, const char *const *own, char *const *more)
{
    size_t n = 0, m = 0;
    while (own[n])
        n++;
    while (more && more[m])
        m++;
    char **words = arena_alloc(&optimize->arena, (n + m + 2) * sizeof *words);
    words[0] = (char *)(uintptr_t)optimize->self;
    for (size_t i = 0; i < n; i++)
        words[i + 1] = (char *)(uintptr_t)own[i];
    for (size_t i = 0; i < m; i++)
        words[n + i + 1] = more[i];
    return words;
}

bool optimize_record(struct optimize *optimize, struct err *err)
{
    bool exact = optimize->exact || (!optimize->overhead && optimize->alone < exact_below_s);
    const char *own[] = {"record",
                         "-q",
                         "-o",
                         optimize->data,
                         exact ? "--exact=counts" : "--overhead",
                         exact                ? "--"
                         : optimize->overhead ? optimize->overhead
                                              : "5%",
                         exact ? NULL : "--",
                         NULL};
    struct trial trial = {optimize->self, gait_words(optimize, own, optimize->argv),
                          optimize->input, environ};
    struct trial_result result;
    if (!optimize->quiet)
        say("recording %s%s", quote_words(&optimize->arena, optimize->argv),
            exact ? ", exactly" : "");
    const char *errors = arena_format(&optimize->arena, "%s/record.err", optimize->folder);
    if (!trial_run(&trial, arena_format(&optimize->arena, "%s/record.out", optimize->folder),
                   errors, &result, err))
        return false;
    if (access(optimize->data, R_OK) != 0)
        return err_set(err, ERR_SYSTEM, "recording failed: %s",
                       file_tail(&optimize->arena, errors));
    return true;
}

static bool export_run(struct optimize *optimize, const char *const *own, const char *format,
                       struct err *err)
{
    const char *log = arena_format(&optimize->arena, "%s/export.log", optimize->folder);
    return optimize_tool(optimize, gait_words(optimize, own, NULL), log, err) ||
           err_in(err, "gait export --format %s", format);
}

bool optimize_export(struct optimize *optimize, const char *format, const char *output,
                     struct err *err)
{
    const char *own[] = {"export",          "-q", "--format", format,         "--module",
                         optimize->program, "-o", output,     optimize->data, NULL};
    return export_run(optimize, own, format, err);
}

bool optimize_export_gcda(struct optimize *optimize, struct err *err)
{
    const char *own[] = {"export", "-q", "--format", "gcda", "--notes", ".", optimize->data, NULL};
    return export_run(optimize, own, "gcda", err);
}

/* ---- the program */

static bool program_find(struct optimize *optimize, struct err *err)
{
    struct image image;
    const char *name = optimize->argv[0];
    const char *found = strchr(name, '/') ? name : tool_find(&optimize->arena, name, err);
    char *path = found ? realpath(found, NULL) : NULL;
    if (!path)
        return err_set(err, ERR_MISSING, "%s: no such program", name);
    optimize->program = arena_string(&optimize->arena, path);
    free(path);
    if (!image_open(&image, optimize->program, err))
        return err_in(err,
                      "what is to be faster must be named itself, not a script that starts it");
    image_close(&image);
    return true;
}

static bool folder_make(struct optimize *optimize, struct err *err)
{
    const char *base = getenv("TMPDIR");
    char *folder =
        arena_format(&optimize->arena, "%s/gait-optimize-XXXXXX", base && *base ? base : "/tmp");
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0)
        return err_errno(err, "/proc/self/exe");
    self[n] = 0;
    optimize->self = arena_string(&optimize->arena, self);
    if (!mkdtemp(folder))
        return err_errno(err, "cannot make %s", folder);
    optimize->folder = folder;
    optimize->data = arena_format(&optimize->arena, "%s/gait.data", folder);
    return true;
}

static void folder_remove(const struct optimize *optimize)
{
    if (optimize->keep) {
        say("kept %s", optimize->folder);
        return;
    }
    DIR *folder = opendir(optimize->folder);
    for (const struct dirent *entry; folder && (entry = readdir(folder));)
        unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder)
        closedir(folder);
    rmdir(optimize->folder);
}

/* ---- checking and measuring */

struct outcome {
    const char *output, *errors;
    struct trial_result result;
};

/* One run of the program at the path, as the command that was given. */
static bool outcome_of(struct optimize *optimize, const char *path, const char *name,
                       struct outcome *ret_outcome, struct err *err)
{
    struct trial trial = {path, optimize->argv, optimize->input, environ};
    *ret_outcome = (struct outcome){
        .output = arena_format(&optimize->arena, "%s/%s.out", optimize->folder, name),
        .errors = arena_format(&optimize->arena, "%s/%s.err", optimize->folder, name)};
    return trial_run(&trial, ret_outcome->output, ret_outcome->errors, &ret_outcome->result, err);
}

static bool outcomes_equal(const struct outcome *a, const struct outcome *b)
{
    return a->result.status == b->result.status && files_equal(a->output, b->output) &&
           files_equal(a->errors, b->errors);
}

/* What it does by itself, twice: what differs from run to run cannot be compared. */
static bool program_try(struct optimize *optimize, struct outcome *ret_first, bool *ret_steady,
                        struct err *err)
{
    struct outcome second;
    if (!outcome_of(optimize, optimize->program, "first", ret_first, err) ||
        !outcome_of(optimize, optimize->program, "second", &second, err))
        return false;
    *ret_steady = outcomes_equal(ret_first, &second);
    optimize->alone = fmin(ret_first->result.cpu, second.result.cpu);
    return true;
}

enum { PAIRS_LEAST = 5, PAIRS_MOST = 30 };
static const double measure_s = 30;

static bool measure(struct optimize *optimize, const char *before, struct gain *ret_gain,
                    struct err *err)
{
    double times[2][RUNS_MAX], spent = 0;
    const char *paths[2] = {before, optimize->result};
    unsigned n = 0;
    if (!optimize->quiet)
        say("measuring before and after in turn");
    while (optimize->runs ? n < optimize->runs
                          : n < PAIRS_LEAST || (n < PAIRS_MOST && spent < measure_s)) {
        for (unsigned i = 0; i < 2; i++) {
            unsigned side = (i + n) % 2; /* none is always the first */
            struct outcome outcome;
            if (!outcome_of(optimize, paths[side], "measured", &outcome, err))
                return false;
            times[side][n] = fmax(outcome.result.cpu, 1e-6);
            spent += outcome.result.wall;
        }
        n++;
    }
    *ret_gain = gain_of(times[0], times[1], n);
    return true;
}

/* ---- the result */

static void result_text(const struct optimize *optimize, const struct gain *gain, bool compared)
{
    printf("%s: %.3f s -> %.3f s of CPU time, gain %.4f (%.4f to %.4f), %+.1f %% speed, %u pairs "
           "of runs\n",
           optimize->result, gain->before, gain->after, gain->value, gain->lo, gain->hi,
           100 * (exp(gain->value) - 1), gain->n);
    if (gain->lo <= 0 && gain->hi >= 0)
        puts("whether it is faster is not certain: more --runs, or a longer run, tell");
    if (!compared)
        puts("its output differs from run to run by itself: it could not be checked");
    if (gain->before < 0.01)
        puts("so short a run says little: measure a longer one");
    if (optimize->note)
        puts(optimize->note);
}

static void result_json(const struct optimize *optimize, const struct gain *gain, bool compared)
{
    static const char *const names[] = {
        [WITH_BOLT] = "bolt", [WITH_CLANG] = "clang", [WITH_GCC] = "gcc"};
    struct json json;
    struct arena arena = {0};
    json_begin(&json, stdout);
    json_object(&json, NULL);
    json_string(&json, "schema", "gait/optimize/1");
    json_string(&json, "command", quote_words(&arena, optimize->argv));
    json_string(&json, "with", names[optimize->with]);
    json_string(&json, "result", optimize->result);
    json_bool(&json, "checked", compared);
    json_number(&json, "before", gain->before);
    json_number(&json, "after", gain->after);
    json_number(&json, "gain", gain->value);
    json_number(&json, "gain_lo", gain->lo);
    json_number(&json, "gain_hi", gain->hi);
    json_integer(&json, "runs", gain->n);
    if (optimize->note)
        json_string(&json, "note", optimize->note);
    json_object_end(&json);
    json_end(&json);
    arena_release(&arena);
}

static bool optimized(struct optimize *optimize, struct err *err)
{
    struct outcome first, again;
    struct gain gain;
    bool steady;
    const char *before = optimize->program;
    if (!program_try(optimize, &first, &steady, err))
        return false;
    if (first.result.status)
        say("the command ends with %s: is that meant?",
            status_text(&optimize->arena, first.result.status));
    if (optimize->with == WITH_BOLT ? !optimize_bolt(optimize, err)
                                    : !optimize_build(optimize, &before, err))
        return false;
    if (!optimize->result) {
        puts(optimize->note);
        return true;
    }
    if (!outcome_of(optimize, optimize->result, "again", &again, err))
        return false;
    if (steady && !outcomes_equal(&first, &again)) {
        if (optimize->with == WITH_BOLT)
            unlink(optimize->result);
        bool ends = again.result.status != first.result.status;
        const char *how = !ends ? "what it writes differs"
                                : arena_format(&optimize->arena, "%s, was %s",
                                               status_text(&optimize->arena, again.result.status),
                                               status_text(&optimize->arena, first.result.status));
        return err_set(err, ERR_SYSTEM, "%s does not do the same: %s; %s%s", optimize->result, how,
                       optimize->with == WITH_BOLT ? "it was removed"
                                                   : "the program from before is ",
                       optimize->with == WITH_BOLT ? "" : before);
    }
    if (!measure(optimize, before, &gain, err))
        return false;
    if (optimize->json)
        result_json(optimize, &gain, steady);
    else
        result_text(optimize, &gain, steady);
    return true;
}

int cmd_optimize(int argc, char **argv)
{
    struct optimize optimize;
    struct err err;
    if (!parse(&optimize, argc, argv, &err))
        return say_err(&err);
    if (optimize.help)
        return show_usage(usage);
    bool ok = program_find(&optimize, &err) && folder_make(&optimize, &err);
    if (ok) {
        ok = optimized(&optimize, &err);
        folder_remove(&optimize);
    }
    arena_release(&optimize.arena);
    return ok ? EXIT_DONE : say_err(&err);
}
