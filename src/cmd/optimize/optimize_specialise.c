/* gait optimize --with specialise: finds the argument that is nearly always the same number, in a
 * function that takes much of the time, and builds the program with a copy of it for that number.
 */
#include "cmd/optimize/optimize.h"

#include "analysis/fix/fix.h"
#include "base/err.h"
#include "cmd/cmd.h"
#include "cmd/optimize/specialise_source.h"
#include "cmd/optimize/trial.h"
#include "profile/file/file.h"
#include "program/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SOURCE_MOST = 16 << 20, FRAMES_MOST = 16 };
/* Clones that a compiler makes have other arguments than the source. */
#define UNCLONED "-g -fno-ipa-cp -fno-ipa-sra -fno-partial-inlining"
static const double WORTH = 0.02;

static bool arguments_record(struct optimize *optimize, struct err *err)
{
    bool exact = optimize->exact || (!optimize->overhead && optimize->alone < TRACED_BELOW_S);
    const char *own[] = {"record",
                         "-q",
                         "-o",
                         optimize->data,
                         "--events",
                         exact ? "argument" : "edge,call,stack,argument",
                         exact ? "--exact=trace" : "--overhead",
                         exact                ? "--"
                         : optimize->overhead ? optimize->overhead
                                              : "10%",
                         exact ? NULL : "--",
                         NULL};
    if (!optimize->quiet)
        say("recording arguments%s", exact ? ", exactly" : "");
    return optimize_record_by(optimize, own, err);
}

static const char *text_read(struct arena *arena, const char *path, struct err *err)
{
    FILE *file = fopen(path, "re");
    char *text = arena_alloc(arena, SOURCE_MOST);
    if (!file) {
        err_errno(err, "%s", path);
        return NULL;
    }
    size_t n = fread(text, 1, SOURCE_MOST - 1, file);
    fclose(file);
    text[n] = 0;
    return text;
}

static bool text_write(const char *path, const char *text, struct err *err)
{
    FILE *file = fopen(path, "we");
    if (!file)
        return err_errno(err, "%s", path);
    bool ok = fputs(text, file) >= 0;
    return (fclose(file) == 0 && ok) || err_errno(err, "%s", path);
}

/* Writes the source with the copy. False: this one cannot be specialised; err says why. */
static bool row_apply(struct optimize *optimize, struct scene *scene, const struct fix_row *row,
                      struct err *err)
{
    struct arena *arena = &optimize->arena;
    struct source_frame frames[FRAMES_MOST];
    struct binary *binary = scene_binary(scene, row->module);
    size_t n = binary ? source_frames(binary, (struct svma){row->at}, frames, FRAMES_MOST) : 0;
    const struct source_frame *own = n && n <= FRAMES_MOST ? &frames[n - 1] : NULL;
    if (!own || !own->file || !own->line || !own->linkage)
        return err_set(err, ERR_MISSING, "no line is known of %s", row->evidence);
    size_t letters = strlen(own->file);
    if (letters < 2 || strcmp(own->file + letters - 2, ".c") != 0)
        return err_set(err, ERR_FORMAT, "%s: not C", own->file);
    const char *text = text_read(arena, own->file, err);
    const struct specialise_wish wish = {own->linkage, own->line, row->argument, row->value};
    const char *changed = text ? specialise_source(arena, text, &wish, err) : NULL;
    const char *before = arena_format(arena, "%s.before", own->file);
    if (!changed || !outputs_replace(&optimize->outputs, arena, own->file, before, err) ||
        !text_write(own->file, changed, err))
        return false;
    optimize_note(optimize, arena_format(arena, "%s: %s; the source as it was: %s", own->linkage,
                                         row->evidence, before));
    return true;
}

/* The function that takes most, of those that can be rewritten. */
static bool source_change(struct optimize *optimize, struct scene *scene, struct err *err)
{
    struct fixes fixes;
    bool changed = false;
    fixes_make(&fixes, scene, 1u << FIX_SPECIALISE);
    err_set(err, ERR_MISSING,
            "no function of the program that takes %.0f %% of the time has an "
            "argument that is nearly always the same number",
            100 * WORTH);
    for (size_t i = 0; i < fixes.n && !changed; i++) {
        const struct fix_row *row = &fixes.at[i];
        if (row->argument && row->weight >= WORTH &&
            strcmp(scene->modules.at[row->module].module.path, optimize->program) == 0)
            changed = row_apply(optimize, scene, row, err);
    }
    fixes_release(&fixes);
    return changed;
}

bool optimize_specialise(struct optimize *optimize, const char **ret_before, struct err *err)
{
    struct arena *arena = &optimize->arena;
    const char *kept = arena_format(arena, "%s.before", optimize->program);
    const char *plain = arena_format(arena, "%s/plain", optimize->folder);
    struct profile profile;
    struct scene scene;
    /* The program as it is, by the same command and flags: what the copy is compared with. */
    if (!outputs_replace(&optimize->outputs, arena, optimize->program, kept, err) ||
        !optimize_build_run(optimize, "-g", err) || !file_copy(optimize->program, plain, err) ||
        !optimize_build_run(optimize, UNCLONED, err) || !arguments_record(optimize, err) ||
        !profile_read(optimize->data, &profile, err))
        return false;
    const struct profile *sides[] = {&profile};
    scene_open(&scene, sides, 1, NULL);
    bool changed = source_change(optimize, &scene, err);
    scene_close(&scene);
    profile_release(&profile);
    if (!changed || !optimize_build_run(optimize, "-g", err))
        return false;
    *ret_before = plain;
    optimize->result = optimize->program;
    return true;
}
