#include "cmd/optimize/optimize.h"

#include "base/err.h"
#include "base/quote.h"
#include "cmd/cmd.h"
#include "cmd/interrupt.h"
#include "cmd/tools.h"
#include "cmd/optimize/trial.h"
#include "program/elf/elf_sections.h"
#include "program/elf/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOG_LINES = 5 };

/* What each compiler is to be told. */
struct recipe {
    const char *compiler, *cxx, *format, *ending;
    const char *lines; /* so that a profile can be made of the program */
    const char *use;   /* so that it is used, with its path behind */
};
static const struct recipe recipes[] = {
    [WITH_CLANG] = {"clang", "clang++", "llvm", ".prof",
                    "-gline-tables-only -fdebug-info-for-profiling",
                    "-gline-tables-only -fdebug-info-for-profiling -fprofile-sample-use="},
    [WITH_GCC] = {"gcc", "g++", "gcc", ".afdo", "-g", "-g -fauto-profile="},
    [WITH_SPECIALISE] = {"gcc", "g++", NULL, NULL, "-g", NULL},
};

#define PROBES "-fpseudo-probe-for-profiling"

struct build {
    const struct recipe *recipe;
    const char *lines;   /* the recipe's, and more that this compiler knows */
    const char *draft;   /* the profile, in the folder */
    const char *profile; /* where it stays if it is used; or what is used instead */
};

/* The compiler that understands the flags, unless another is asked for, and CFLAGS and CXXFLAGS as
 * they are and more: what most builds look at. Those that set their own take GAIT_CFLAGS. Of all
 * this the measured program sees nothing. */
static char **build_words(struct optimize *optimize, const char *flags)
{
    const struct recipe *recipe = &recipes[optimize->with];
    struct arena *arena = &optimize->arena;
    const struct {
        const char *name, *more, *tool;
    } variables[] = {{"CFLAGS", flags, NULL},
                     {"CXXFLAGS", flags, NULL},
                     {"CC", NULL, recipe->compiler},
                     {"CXX", NULL, recipe->cxx}};
    size_t most = sizeof variables / sizeof *variables + 6, n = 0;
    char **words = arena_alloc(arena, most * sizeof *words);
    words[n++] = arena_string(arena, "/usr/bin/env");
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        struct err none;
        const char *given = getenv(variables[i].name), *tool = variables[i].tool;
        if (variables[i].more)
            words[n++] = arena_format(arena, "%s=%s %s", variables[i].name, given ? given : "-O2",
                                      variables[i].more);
        else if (!given && (tool = tool_find(arena, tool, &none)))
            words[n++] = arena_format(arena, "%s=%s", variables[i].name, tool);
    }
    words[n++] = arena_format(arena, "GAIT_CFLAGS=%s", flags);
    words[n++] = arena_string(arena, "/bin/sh");
    words[n++] = arena_string(arena, "-c");
    words[n++] = arena_string(arena, optimize->build);
    words[n] = NULL;
    return words;
}

/* Make's last line says least of why it failed. The folder goes: what the build said is kept
 * elsewhere. */
static void log_show(struct optimize *optimize, const char *log)
{
    const char *lines[LOG_LINES] = {0};
    size_t n = 0, room = 0;
    char *line = NULL, *slash = strrchr(optimize->folder, '/');
    FILE *file = fopen(log, "re");
    for (ssize_t length; file && (length = getline(&line, &room, file)) > 0;) {
        line[strcspn(line, "\r\n")] = 0;
        if (*line)
            lines[n++ % LOG_LINES] = arena_string(&optimize->arena, line);
    }
    free(line);
    if (file)
        fclose(file);
    for (size_t i = n > LOG_LINES ? n - LOG_LINES : 0; i < n; i++)
        say("the build: %s", lines[i % LOG_LINES]);
    const char *kept =
        arena_format(&optimize->arena, "%.*s/gait-build-%s.log", (int)(slash - optimize->folder),
                     optimize->folder, optimize->folder + strlen(optimize->folder) - 6);
    struct err none;
    if (n > LOG_LINES && file_copy(log, kept, &none))
        say("all that the build said: %s", kept);
}

bool optimize_build_run(struct optimize *optimize, const char *flags, struct err *err)
{
    if (!optimize->quiet)
        say("building with GAIT_CFLAGS=%s", quote_word(&optimize->arena, flags));
    const char *log = arena_format(&optimize->arena, "%s/build.log", optimize->folder);
    optimize_phase(optimize, "building", 0, 0);
    if (!optimize_tool(optimize, build_words(optimize, flags), log, err)) {
        const char *missing = tool_missing(&optimize->arena, log);
        if (missing)
            return err_set(err, ERR_MISSING, "--build: %s", missing);
        if (!interrupt_signal())
            log_show(optimize, log);
        return err_in(err, "--build %s", quote_word(&optimize->arena, optimize->build));
    }
    if (access(optimize->program, X_OK) != 0)
        return err_set(err, ERR_MISSING, "--build %s did not make %s",
                       quote_word(&optimize->arena, optimize->build), optimize->program);
    return true;
}

/* Whether the program has that section, with that text in it; NULL: with any. */
static bool section_has(const char *path, const char *name, const char *text)
{
    struct image image;
    struct err none;
    GElf_Shdr header;
    if (!image_open(&image, path, &none))
        return false;
    Elf_Scn *section = section_named(image.file.elf, name, &header);
    const Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
    bool found = data && data->d_buf &&
                 (!text || memmem(data->d_buf, data->d_size, text, strlen(text)) != NULL);
    image_close(&image);
    return found;
}

/* Whether clang made code of the program: compilers leave their names in it. */
static bool made_by_clang(const char *path)
{
    return section_has(path, ".comment", "clang version");
}

static bool has_probes(const char *path)
{
    return section_has(path, ".pseudo_probe", NULL);
}

/* Whether the clang that will be used knows the flag. */
static bool clang_knows(struct optimize *optimize, const char *flag)
{
    const char *const words[] = {"clang", flag, "-fsyntax-only", "-x", "c", "/dev/null", NULL};
    char *own[sizeof words / sizeof *words];
    struct err none;
    const char *log = arena_format(&optimize->arena, "%s/flags.log", optimize->folder);
    const char *given = getenv("CC");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        own[i] = (char *)(uintptr_t)words[i];
    own[0] = (char *)(uintptr_t)(given ? given : tool_find(&optimize->arena, words[0], &none));
    return own[0] && optimize_tool(optimize, own, log, &none);
}

/* Lines alone miss blocks without instructions of their own, as of a break, and clang then takes
 * loops for short. Probes count them. */
static bool lacks_probes(struct optimize *optimize, const struct build *build)
{
    return strstr(build->lines, PROBES) && !has_probes(optimize->program);
}

/* A profile of the program; if it lacks lines or probes, or another compiler made it, whose marks
 * in lines mean something else, and it can be built: of one that has what is needed. */
static bool profile_make(struct optimize *optimize, const struct build *build, struct err *err)
{
    const struct recipe *recipe = build->recipe;
    bool other = made_by_clang(optimize->program) != (optimize->with == WITH_CLANG) ||
                 lacks_probes(optimize, build);
    if (optimize->build && other && !optimize_build_run(optimize, build->lines, err))
        return false;
    if (!optimize_record(optimize, err))
        return false;
    if (optimize_export(optimize, recipe->format, build->draft, err))
        return true;
    if (!optimize->build || !strstr(err->text, "line information"))
        return false;
    return optimize_build_run(optimize, build->lines, err) && optimize_record(optimize, err) &&
           optimize_export(optimize, recipe->format, build->draft, err);
}

/* A profile by probes needs them again, and brings what makes counts of lines consistent. */
static const char *flags_more(struct optimize *optimize)
{
    static const char profi[] = "-fsample-profile-use-profi";
    if (optimize->with != WITH_CLANG)
        return "";
    if (has_probes(optimize->program))
        return PROBES " ";
    return clang_knows(optimize, profi) ? "-fsample-profile-use-profi " : "";
}

/* Leaves the profile where it is to stay, and tells the flags that make the compiler use it. A
 * build uses the draft instead: not every one knows quotes in its CFLAGS. */
static bool profile_place(struct optimize *optimize, const struct build *build,
                          const char **ret_flags, struct err *err)
{
    struct arena *arena = &optimize->arena;
    if (!outputs_begin(&optimize->outputs, arena, build->profile, err) ||
        !file_copy(build->draft, build->profile, err))
        return false;
    char *absolute = realpath(optimize->build ? build->draft : build->profile, NULL);
    if (!absolute)
        return err_errno(err, "%s", build->profile);
    *ret_flags = arena_format(arena, "%s%s%s", flags_more(optimize), build->recipe->use,
                              quote_word(arena, absolute));
    free(absolute);
    return true;
}

/* By counts of gcc's own graphs if it can be. */
static bool flags_choose(struct optimize *optimize, struct build *build, const char **ret_flags,
                         struct err *err)
{
    struct err why;
    size_t files;
    if (optimize->with != WITH_GCC || !optimize->build)
        return profile_place(optimize, build, ret_flags, err);
    if (!optimize_gcda(optimize, &files, &why)) {
        if (!interrupt_none(err))
            return false;
        optimize_note(optimize, arena_format(&optimize->arena,
                                             "by -fauto-profile, which gains less: %s", why.text));
        return profile_place(optimize, build, ret_flags, err);
    }
    if (optimize->output && !profile_place(optimize, build, ret_flags, err))
        return false;
    *ret_flags = optimize->values ? "-g -fprofile-use -fprofile-correction -Wno-missing-profile"
                                  : "-g -fprofile-use -Wno-missing-profile";
    build->profile =
        arena_format(&optimize->arena, "%zu .gcda file%s beside what gcc makes%s%s", files,
                     files == 1 ? "" : "s", optimize->output ? ", and for -fauto-profile " : "",
                     optimize->output ? optimize->output : "");
    return true;
}

bool optimize_build(struct optimize *optimize, const char **ret_before, struct err *err)
{
    struct arena *arena = &optimize->arena;
    const struct recipe *recipe = &recipes[optimize->with];
    const char *before = arena_format(arena, "%s.before", optimize->program), *flags;
    bool probes = optimize->with == WITH_CLANG && clang_knows(optimize, PROBES);
    struct build build = {
        .recipe = recipe,
        .lines = probes ? arena_format(arena, "%s " PROBES, recipe->lines) : recipe->lines,
        .draft = arena_format(arena, "%s/profile%s", optimize->folder, recipe->ending),
        .profile = optimize->output
                       ? optimize->output
                       : arena_format(arena, "%s%s", optimize->program, recipe->ending)};
    if ((optimize->build &&
         !outputs_replace(&optimize->outputs, arena, optimize->program, before, err)) ||
        !profile_make(optimize, &build, err) || !flags_choose(optimize, &build, &flags, err))
        return false;
    *ret_before = before;
    if (!optimize->build) {
        optimize_note(optimize, arena_format(arena, "the profile is %s; build with %s %s",
                                             build.profile, recipe->compiler, flags));
        return true;
    }
    if (!optimize_build_run(optimize, flags, err))
        return false;
    if (files_equal(before, optimize->program))
        return err_set(err, ERR_MISSING,
                       "--build %s made the same program again: does it compile everything anew, "
                       "with CFLAGS or $GAIT_CFLAGS (make -B)?",
                       quote_word(arena, optimize->build));
    optimize->result = optimize->program;
    optimize_note(optimize,
                  arena_format(arena, "as it was: %s; the profile: %s", before, build.profile));
    return true;
}
