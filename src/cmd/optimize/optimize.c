/* gait optimize: records a program, has it made anew from what was seen, and measures what that
 * gained. */
#include "cmd/optimize/optimize.h"

#include "base/err.h"
#include "base/phase.h"
#include "base/quote.h"
#include "cmd/cmd.h"
#include "cmd/options/flags.h"
#include "cmd/options/progress.h"
#include "cmd/interrupt.h"
#include "cmd/optimize/optimize_check.h"
#include "cmd/optimize/optimize_counts.h"
#include "cmd/optimize/optimize_say.h"
#include "cmd/tools.h"
#include "profile/file/file.h"
#include "program/elf/image.h"

#include <dirent.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Shorter ones are recorded exactly: too few samples would fall into them. */
static const double exact_below_s = 2;

/* ---- options */

static const struct {
    const char *name, *tool;
} optimizers[] = {
    [WITH_BOLT] = {"bolt", "llvm-bolt"},
    [WITH_CLANG] = {"clang", "clang"},
    [WITH_GCC] = {"gcc", "gcc"},
    [WITH_SPECIALISE] = {"specialise", "gcc"},
};

const char *optimizer_name(enum optimizer with)
{
    return optimizers[with].name;
}

const char *optimizer_tool(enum optimizer with)
{
    return optimizers[with].tool;
}

static const struct flag flags[] = {
    {"with", 0, "TOOL", "bolt, clang, gcc or specialise", ": what makes the faster program",
     TAKE(word, struct optimize, with)},
    {"build", 0, "COMMAND", NULL,
     "clang, gcc, specialise: builds PROGRAM, with CC, CFLAGS and GAIT_CFLAGS as set; without it "
     "gait leaves "
     "the profile and prints how to build",
     TAKE(text, struct optimize, build)},
    {"output", 'o', "OUT", NULL, "bolt: the new program (PROGRAM.bolt); others: the profile",
     TAKE(text, struct optimize, output)},
    {"input", 0, "FILE", NULL, "standard input of the program (empty)",
     TAKE(text, struct optimize, input)},
    {"writes", 0, "FILE", NULL, "a file that the command writes, to compare as well",
     TAKE(text, struct optimize, writes)},
    {"exact", 0, NULL, NULL, "count every execution (default below 2 s of CPU time)",
     TAKE(set, struct optimize, exact)},
    {"values", 0, NULL, NULL, "gcc with --build: divisors and sizes, too",
     TAKE(set, struct optimize, values)},
    {"overhead", 0, "PCT", NULL, "what sampling may cost otherwise (5 %)",
     TAKE(text, struct optimize, overhead)},
    {"runs", 0, "N", NULL, "pairs of runs to measure (5 to 30, in half a minute)",
     TAKE(u32, struct optimize, runs), .low = 2, .high = OPTIMIZE_RUNS_MAX},
    {"json", 0, NULL, NULL, "the result as JSON", TAKE(set, struct optimize, json)},
    {"keep", 0, NULL, NULL, "keep the folder with profile and messages",
     TAKE(set, struct optimize, keep)},
    {"quiet", 'q', NULL, NULL, "do not print progress", TAKE(set, struct optimize, quiet)},
    {0},
};

static const struct command_line this_command = {
    .usage =
        "usage: gait optimize --with TOOL [options] [--] PROGRAM [ARGUMENT...]\n\nRecords the "
        "program, makes a faster one from the profile, checks that it does the same, and\nmeasures "
        "both in turn. The command runs several times, each time with the same input.\n",
    .flags = flags,
    .before = true,
};

static bool parse(struct optimize *optimize, int argc, char **argv, struct err *err)
{
    *optimize = (struct optimize){.with = WITH_NOTHING, .input = "/dev/null"};
    if (!flags_parse(&this_command, optimize, argc, argv, err))
        return false;
    optimize->argv = argv + optind;
    if (optimize->with == WITH_NOTHING)
        return err_set(err, ERR_USAGE,
                       "no tool: gait optimize --with bolt, clang, gcc or specialise");
    if (!*optimize->argv)
        return err_set(err, ERR_USAGE, "no program: gait optimize --with %s -- PROGRAM",
                       optimizer_name(optimize->with));
    if (optimize->build && optimize->with == WITH_BOLT)
        return err_set(err, ERR_USAGE, "--build is for clang and gcc: BOLT works on the program");
    if (!optimize->build && optimize->with == WITH_SPECIALISE)
        return err_set(err, ERR_USAGE,
                       "--with specialise needs --build: it changes a source, and "
                       "builds the program again");
    if (optimize->values && !(optimize->build && optimize->with == WITH_GCC))
        return err_set(err, ERR_USAGE, "--values is for --with gcc and --build");
    if (optimize->exact && optimize->overhead)
        return err_set(err, ERR_USAGE, "--exact has no --overhead to keep to");
    return true;
}

/* ---- what parts need */

bool optimize_tool(struct optimize *optimize, char *const *argv, const char *log, struct err *err)
{
    struct trial trial = {argv[0], argv, "/dev/null", environ, true};
    struct trial_result result;
    if (!trial_run(&trial, NULL, log, &result, err))
        return false;
    if (!WIFEXITED(result.status) || WEXITSTATUS(result.status) != 0)
        return err_set(err, ERR_SYSTEM, "%s: %s", status_text(&optimize->arena, result.status),
                       file_tail(&optimize->arena, log));
    return true;
}

void optimize_note(struct optimize *optimize, const char *note)
{
    optimize->note =
        optimize->note ? arena_format(&optimize->arena, "%s; %s", optimize->note, note) : note;
}

void optimize_phase(const struct optimize *optimize, const char *what, unsigned done, unsigned all)
{
    if (optimize->quiet)
        return;
    phase_set(what, NULL);
    phase_parts(done, all);
    progress_begin();
}

/* Words for a run of gait itself, the program's behind them. */
char **optimize_gait_words(struct optimize *optimize, const char *const *own, char *const *more)
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

/* Most of the time may be in others' code, which stays as it is. */
static const double own_share_low = 0.5;

static bool share_tell(struct optimize *optimize, struct err *err)
{
    struct profile profile;
    if (!profile_read(optimize->data, &profile, err))
        return false;
    double *weights = mem_alloc((profile.modules.n + 1) * sizeof *weights), all = 0;
    for (uint32_t i = 0; i < profile.ranges.n; i++) {
        const struct range_key *key = map_key(&profile.ranges.keys, i);
        double weight = (double)profile.ranges.at[i].count * key->instructions;
        weights[key->module] += weight;
        all += weight;
    }
    size_t own = MODULE_NONE, most = 0;
    for (size_t i = 0; i < profile.modules.n; i++) {
        most = weights[i] > weights[most] ? i : most;
        own = strcmp(profile.modules.at[i].path, optimize->program) == 0 ? i : own;
    }
    optimize->note = NULL; /* of an earlier recording */
    if (own != MODULE_NONE && weights[own] < own_share_low * all)
        optimize_note(optimize,
                      arena_format(&optimize->arena,
                                   "only %.1f %% of what it executes is its own and can be made "
                                   "faster; %.1f %% is %s",
                                   100 * weights[own] / all, 100 * weights[most] / all,
                                   profile.modules.at[most].path));
    mem_free(weights);
    profile_release(&profile);
    return true;
}

bool optimize_record_by(struct optimize *optimize, const char *const *own, struct err *err)
{
    struct trial trial = {optimize->self, optimize_gait_words(optimize, own, optimize->argv),
                          optimize->input, environ, false};
    struct trial_result result;
    optimize_phase(optimize, "recording", 0, 0);
    const char *errors = arena_format(&optimize->arena, "%s/record.err", optimize->folder);
    if (!trial_run(&trial, arena_format(&optimize->arena, "%s/record.out", optimize->folder),
                   errors, &result, err))
        return false;
    return access(optimize->data, R_OK) == 0 ||
           err_set(err, ERR_SYSTEM, "recording failed: %s", file_tail(&optimize->arena, errors));
}

/* With the values that gcc has counters of. */
static bool values_record(struct optimize *optimize, struct err *err)
{
    bool exact = optimize->exact || (!optimize->overhead && optimize->alone < TRACED_BELOW_S);
    const char *own[] = {"record",
                         "-q",
                         "-o",
                         optimize->data,
                         "--context",
                         "--events",
                         exact ? "value,argument" : "edge,call,stack,value,argument",
                         exact ? "--exact=trace" : "--overhead",
                         exact                ? "--"
                         : optimize->overhead ? optimize->overhead
                                              : "10%",
                         exact ? NULL : "--",
                         NULL};
    if (!optimize->quiet)
        say("recording %s with values%s", quote_words(&optimize->arena, optimize->argv),
            exact ? ", exactly" : "");
    return optimize_record_by(optimize, own, err) && share_tell(optimize, err);
}

bool optimize_record(struct optimize *optimize, struct err *err)
{
    if (optimize->values)
        return values_record(optimize, err);
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
    if (!optimize->quiet)
        say("recording %s%s", quote_words(&optimize->arena, optimize->argv),
            exact ? ", exactly" : "");
    return optimize_record_by(optimize, own, err) && share_tell(optimize, err);
}

static bool export_run(struct optimize *optimize, const char *const *own, const char *format,
                       struct err *err)
{
    const char *log = arena_format(&optimize->arena, "%s/export.log", optimize->folder);
    optimize_phase(optimize, "making a profile for the compiler", 0, 0);
    return optimize_tool(optimize, optimize_gait_words(optimize, own, NULL), log, err) ||
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

/* The program itself must stay: it is what the new one is held to. */
static bool output_check(const struct optimize *optimize, struct err *err)
{
    struct stat program, output;
    if (!optimize->output || stat(optimize->output, &output) < 0 ||
        stat(optimize->program, &program) < 0)
        return true;
    if (program.st_dev == output.st_dev && program.st_ino == output.st_ino)
        return err_set(err, ERR_USAGE, "-o %s: that is the program itself", optimize->output);
    return S_ISREG(output.st_mode) ||
           err_set(err, ERR_USAGE, "-o %s: not a file", optimize->output);
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

/* ---- all of it */

static bool result_make(struct optimize *optimize, const char **ret_before, struct err *err)
{
    *ret_before = optimize->program;
    switch (optimize->with) {
    case WITH_BOLT: return optimize_bolt(optimize, err);
    case WITH_SPECIALISE: return optimize_specialise(optimize, ret_before, err);
    default: return optimize_build(optimize, ret_before, err);
    }
}

static bool optimized(struct optimize *optimize, struct err *err)
{
    struct reference_run reference;
    struct gain gain;
    struct run_counts counts[2];
    const char *before;
    optimize_phase(optimize, "running the program as it is", 0, 0);
    if (!tool_find(&optimize->arena, optimizer_tool(optimize->with), err) ||
        !reference_take(&reference, optimize, err))
        return false;
    if (reference.first.result.status)
        say("the command ends with %s: is that meant?",
            status_text(&optimize->arena, reference.first.result.status));
    if (!result_make(optimize, &before, err))
        return false;
    progress_end();
    if (!optimize->result) {
        puts(optimize->note);
        return true;
    }
    optimize_phase(optimize, "comparing what the new program does", 0, 0);
    if (!reference_compare(&reference, optimize, err) ||
        (optimize->with == WITH_BOLT && !optimize_bolt_align(optimize, &reference, err)) ||
        !gain_measure(&gain, optimize, before, "before and after", err))
        return false;
    if (optimize->with == WITH_SPECIALISE && gain.lo <= 0) {
        optimize->drop = true;
        optimize_note(optimize, "so everything is as it was before");
    }
    bool counted =
        run_counts_take(&counts[0], &counts[1], optimize, before, reference.first.result.status);
    if (!interrupt_none(err))
        return false;
    progress_end();
    (optimize->json ? optimize_json : optimize_text)(optimize, &gain, counted ? counts : NULL,
                                                     reference.steady);
    return true;
}

int cmd_optimize(int argc, char **argv)
{
    struct optimize optimize;
    struct err err;
    if (!parse(&optimize, argc, argv, &err))
        return say_err(&err);
    interrupts_catch();
    bool ok = program_find(&optimize, &err) && output_check(&optimize, &err) &&
              folder_make(&optimize, &err);
    if (ok) {
        ok = optimized(&optimize, &err);
        ok && !optimize.drop ? outputs_keep(&optimize.outputs) : outputs_undo(&optimize.outputs);
        folder_remove(&optimize);
    }
    arena_release(&optimize.arena);
    int status = ok ? EXIT_DONE : say_err(&err);
    if (!ok && interrupt_signal())
        interrupt_die(interrupt_signal());
    return status;
}
