#include "cmd/optimize.h"

#include "base/err.h"
#include "base/quote.h"
#include "cmd/cmd.h"
#include "cmd/interrupt.h"
#include "cmd/tools.h"
#include "cmd/trial.h"
#include "program/elf_sections.h"
#include "program/image.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
};

/* The compiler that understands the flags, unless another is asked for, and CFLAGS and CXXFLAGS as they are and more: what most builds look at.
 * Those that set their own take GAIT_CFLAGS. Of all this the measured program sees nothing. */
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

static bool build_run(struct optimize *optimize, const char *flags, struct err *err)
{
    if (!optimize->quiet)
        say("building with GAIT_CFLAGS=%s", quote_word(&optimize->arena, flags));
    const char *log = arena_format(&optimize->arena, "%s/build.log", optimize->folder);
    if (!optimize_tool(optimize, build_words(optimize, flags), log, err)) {
        const char *missing = tool_missing(&optimize->arena, log);
        return missing ? err_set(err, ERR_MISSING, "--build: %s", missing)
                       : err_in(err, "--build %s", quote_word(&optimize->arena, optimize->build));
    }
    if (access(optimize->program, X_OK) != 0)
        return err_set(err, ERR_MISSING, "--build %s did not make %s",
                       quote_word(&optimize->arena, optimize->build), optimize->program);
    return true;
}

/* Whether clang made code of the program: compilers leave their names in it. */
static bool made_by_clang(const char *path)
{
    static const char name[] = "clang version";
    struct image image;
    struct err none;
    GElf_Shdr header;
    if (!image_open(&image, path, &none))
        return false;
    Elf_Scn *section = section_named(image.file.elf, ".comment", &header);
    const Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
    bool found =
        data && data->d_buf && memmem(data->d_buf, data->d_size, name, sizeof name - 1) != NULL;
    image_close(&image);
    return found;
}

/* A profile of the program; if it lacks lines or another compiler made it, whose marks in lines mean something else, and it can be built: of
 * one that has what is needed. */
static bool profile_make(struct optimize *optimize, const struct recipe *recipe,
                         const char *profile, struct err *err)
{
    bool other = made_by_clang(optimize->program) != (optimize->with == WITH_CLANG);
    if (optimize->build && other && !build_run(optimize, recipe->lines, err))
        return false;
    if (!optimize_record(optimize, err))
        return false;
    if (optimize_export(optimize, recipe->format, profile, err))
        return true;
    if (!optimize->build || !strstr(err->text, "line information"))
        return false;
    return build_run(optimize, recipe->lines, err) && optimize_record(optimize, err) &&
           optimize_export(optimize, recipe->format, profile, err);
}

/* Counts of gcc's own graphs, which it leaves in notes when it compiles the program as if there was a profile. What was recorded is
 * put back meanwhile: counts are set against it. */
static bool gcda_make(struct optimize *optimize, struct err *err)
{
    const char *recorded = arena_format(&optimize->arena, "%s/recorded", optimize->folder);
    return file_copy(optimize->program, recorded, err) &&
           build_run(optimize, "-g -fprofile-use -ftest-coverage -Wno-missing-profile", err) &&
           unlink(optimize->program) == 0 && file_copy(recorded, optimize->program, err) &&
           optimize_export_gcda(optimize, err);
}

/* The flags that make the compiler use the profile. */
static const char *flags_choose(struct optimize *optimize, const struct recipe *recipe,
                                const char *profile, struct err *err)
{
    if (optimize->with == WITH_GCC && optimize->build) {
        struct err why;
        if (gcda_make(optimize, &why))
            return "-g -fprofile-use -Wno-missing-profile";
        if (!interrupt_none(err))
            return NULL;
        optimize_note(optimize, arena_format(&optimize->arena,
                                             "by -fauto-profile, which gains less: %s", why.text));
    }
    char *absolute = realpath(profile, NULL);
    if (!absolute) {
        err_errno(err, "%s", profile);
        return NULL;
    }
    const char *word = quote_word(&optimize->arena, absolute);
    /* Not every build knows quotes in its CFLAGS: while it runs the profile can lie elsewhere. */
    if (optimize->build && strcmp(word, absolute) != 0) {
        const char *copy = arena_format(&optimize->arena, "%s/profile", optimize->folder);
        word = file_copy(absolute, copy, err) ? quote_word(&optimize->arena, copy) : NULL;
    }
    free(absolute);
    return word ? arena_format(&optimize->arena, "%s%s", recipe->use, word) : NULL;
}

bool optimize_build(struct optimize *optimize, const char **ret_before, struct err *err)
{
    struct arena *arena = &optimize->arena;
    const struct recipe *recipe = &recipes[optimize->with];
    const char *before = arena_format(arena, "%s.before", optimize->program);
    const char *profile = optimize->output
                              ? optimize->output
                              : arena_format(arena, "%s%s", optimize->program, recipe->ending);
    if ((optimize->build &&
         !outputs_replace(&optimize->outputs, arena, optimize->program, before, err)) ||
        !outputs_begin(&optimize->outputs, arena, profile, err) ||
        !profile_make(optimize, recipe, profile, err))
        return false;
    const char *flags = flags_choose(optimize, recipe, profile, err);
    if (!flags)
        return false;
    *ret_before = before;
    if (!optimize->build) {
        optimize_note(optimize, arena_format(arena, "the profile is %s; build with %s %s", profile,
                                             recipe->compiler, flags));
        return true;
    }
    if (!build_run(optimize, flags, err))
        return false;
    if (files_equal(before, optimize->program))
        return err_set(err, ERR_MISSING,
                       "--build %s made the same program again: does it compile everything anew, "
                       "with CFLAGS or $GAIT_CFLAGS (make -B)?",
                       quote_word(arena, optimize->build));
    optimize->result = optimize->program;
    optimize_note(optimize, arena_format(arena, "as it was: %s; the profile: %s", before, profile));
    return true;
}
