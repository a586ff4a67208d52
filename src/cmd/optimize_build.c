#include "cmd/optimize.h"

#include "base/err.h"
#include "base/quote.h"
#include "cmd/cmd.h"
#include "cmd/tools.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What each compiler is to be told. */
struct recipe {
    const char *compiler, *format, *ending;
    const char *lines; /* so that a profile can be made of the program */
    const char *use;   /* so that it is used, with its path behind */
};
static const struct recipe recipes[] = {
    [WITH_CLANG] = {"clang", "llvm", ".prof", "-gline-tables-only -fdebug-info-for-profiling",
                    "-gline-tables-only -fdebug-info-for-profiling -fprofile-sample-use="},
    [WITH_GCC] = {"gcc", "gcc", ".afdo", "-g", "-g -fauto-profile="},
};

/* CFLAGS and CXXFLAGS as they are and more: what most builds look at. Those that set their own take GAIT_CFLAGS. */
static void flags_set(struct optimize *optimize, const char *more)
{
    static const char *const names[] = {"CFLAGS", "CXXFLAGS"};
    static const char *before[2];
    for (size_t i = 0; i < 2; i++) {
        if (!before[i]) {
            const char *given = getenv(names[i]);
            before[i] = arena_string(&optimize->arena, given ? given : "-O2");
        }
        setenv(names[i], arena_format(&optimize->arena, "%s %s", before[i], more), 1);
    }
    setenv("GAIT_CFLAGS", more, 1);
}

static bool build_run(struct optimize *optimize, const char *flags, struct err *err)
{
    char shell[] = "/bin/sh", option[] = "-c";
    char *words[] = {shell, option, (char *)(uintptr_t)optimize->build, NULL};
    flags_set(optimize, flags);
    if (!optimize->quiet)
        say("building with GAIT_CFLAGS=%s", quote_word(&optimize->arena, flags));
    if (!optimize_tool(optimize, words,
                       arena_format(&optimize->arena, "%s/build.log", optimize->folder), err))
        return err_in(err, "--build %s", quote_word(&optimize->arena, optimize->build));
    if (access(optimize->program, X_OK) != 0)
        return err_set(err, ERR_MISSING, "--build %s did not make %s",
                       quote_word(&optimize->arena, optimize->build), optimize->program);
    return true;
}

/* A profile of the program; if it lacks lines, and can be built, of one that has them. */
static bool profile_make(struct optimize *optimize, const struct recipe *recipe,
                         const char *profile, struct err *err)
{
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
        optimize->note =
            arena_format(&optimize->arena, "by -fauto-profile, which gains less: %s", why.text);
    }
    char *absolute = realpath(profile, NULL);
    if (!absolute) {
        err_errno(err, "%s", profile);
        return NULL;
    }
    const char *flags =
        arena_format(&optimize->arena, "%s%s", recipe->use, quote_word(&optimize->arena, absolute));
    free(absolute);
    return flags;
}

bool optimize_build(struct optimize *optimize, const char **ret_before, struct err *err)
{
    struct arena *arena = &optimize->arena;
    const struct recipe *recipe = &recipes[optimize->with];
    const char *before = arena_format(arena, "%s.before", optimize->program);
    const char *profile = optimize->output
                              ? optimize->output
                              : arena_format(arena, "%s%s", optimize->program, recipe->ending);
    if (!tool_find(arena, recipe->compiler, err) ||
        (optimize->build && !file_copy(optimize->program, before, err)) ||
        !profile_make(optimize, recipe, profile, err))
        return false;
    const char *flags = flags_choose(optimize, recipe, profile, err);
    if (!flags)
        return false;
    *ret_before = before;
    if (!optimize->build) {
        optimize->note = arena_format(arena, "the profile is %s; build with %s %s", profile,
                                      recipe->compiler, flags);
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
    const char *where = arena_format(arena, "as it was: %s; the profile: %s", before, profile);
    optimize->note = optimize->note ? arena_format(arena, "%s; %s", optimize->note, where) : where;
    return true;
}
