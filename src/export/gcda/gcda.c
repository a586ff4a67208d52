#include "export/gcda/gcda.h"

#include "base/err.h"
#include "export/job/job.h"
#include "export/gcda/sightings.h"
#include "gcov/counts.h"
#include "gcov/smooth.h"
#include "gcov/spread.h"
#include "base/place_file.h"
#include "analysis/counts/scene.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct writing {
    const struct gcda_options *options;
    const struct objects *objects;
    const struct sightings_of *sightings;
    struct counts *counts; /* of each object */
    bool exact;            /* what was not seen did not run */
    struct fit_told told;  /* of all functions */
    uint64_t poor_most;    /* executions of branches that are not told, of report.poor_most */
    struct gcda_report *report;
};

static void told_add(struct writing *writing, const struct notes_function *function,
                     struct fit_told told)
{
    struct gcda_report *report = writing->report;
    uint64_t inferred = told.branched - told.told;
    writing->told.branched += told.branched;
    writing->told.told += told.told;
    if (inferred <= told.told)
        return;
    report->poor++;
    if (inferred > writing->poor_most) {
        writing->poor_most = inferred;
        snprintf(report->poor_most, sizeof report->poor_most, "%s", function->name);
    }
}

static void counters_set(struct counts_function *counted, const struct notes_function *function,
                         const uint64_t *arcs)
{
    struct counts_row *row = &counted->rows[COUNTS_ARCS];
    row->there = true;
    vec_reserve(row, function->n_counters);
    row->n = function->n_counters;
    gather_counters(function, arcs, row->at);
}

/* What an exact run did not meet did not run. What samples did not meet gcc guesses; zeros would
 * say that it never runs. */
static void function_unmet(const struct writing *writing, const struct notes_function *function,
                           struct counts_function *counted)
{
    uint64_t *arcs = mem_alloc((function->arcs.n + 1) * sizeof *arcs);
    counted->empty = !writing->exact;
    if (writing->exact)
        counters_set(counted, function, arcs);
    mem_free(arcs);
}

/* The place in the order of first execution. gcc then reads all counters of values that the
 * function has: those that nothing was written of say that nothing is frequent, but one of
 * remainders cannot. */
static void first_run_write(const struct valued_function *valued, uint32_t at,
                            struct counts_function *counted)
{
    struct counts_row *rows = counted->rows;
    bool targets = rows[COUNTS_INDIRECT].there, frequent = rows[COUNTS_TOPN].there;
    for (size_t i = 0; i < valued->n; i++)
        if (valued->at[i].kind == VALUED_REMAINDER && !rows[COUNTS_POW2].there)
            return;
    rows[COUNTS_TIME].there = true;
    *vec_push(&rows[COUNTS_TIME]) = at;
    for (size_t i = 0; i < 2 * valued->n; i++) {
        bool calls = valued->at[i / 2].kind == VALUED_INDIRECT;
        if (calls ? targets : frequent)
            continue;
        struct counts_row *row = &rows[calls ? COUNTS_INDIRECT : COUNTS_TOPN];
        row->there = true;
        *vec_push(row) = 0;
    }
}

/* Targets of indirect calls, and other values. */
static void values_write(struct writing *writing, struct object_function first,
                         struct counts_function *counted)
{
    const struct sightings_of *sightings = writing->sightings;
    const struct notes_function *function = objects_function(writing->objects, first);
    const struct valued_function *valued =
        valued_find(&writing->objects->at[first.object].valued, function->name);
    uint32_t number = sightings->first[first.object] + first.function;
    targets_count(&sightings->targets, number, function->n_blocks, counted);
    if (sightings->values.seen.n && valued)
        writing->report->valued +=
            value_counters_write(&sightings->values, valued, number, counted);
    if (valued && sightings->runs.at[number])
        first_run_write(valued, sightings->runs.at[number], counted);
}

static bool function_met(struct writing *writing, struct object_function at,
                         const struct sightings *sightings, struct counts_function *counted,
                         struct err *err)
{
    struct object_function first = objects_first(writing->objects, at);
    const struct object *object = &writing->objects->at[at.object];
    const struct notes_function *function = &object->notes.functions.at[at.function];
    const struct line_groups *groups = &writing->objects->at[first.object].groups[first.function];
    uint64_t *arcs = mem_alloc((function->arcs.n + 1) * sizeof *arcs);
    struct fit_told told = {0};
    bool ok = arcs_fit(function, groups, sightings, writing->options->voting, arcs, &told);
    if (ok && first.object == at.object && first.function == at.function)
        told_add(writing, function, told);
    if (ok)
        arcs_smooth(function, groups, sightings, writing->exact, arcs);
    if (ok)
        counters_set(counted, function, arcs);
    values_write(writing, first, counted);
    writing->report->functions++;
    mem_free(arcs);
    return ok || err_set(err, ERR_FORMAT, "%s: %s: its counts are too large", object->path,
                         function->name);
}

static bool function_count(struct writing *writing, uint32_t o, uint32_t f, struct err *err)
{
    const struct notes_function *function = &writing->objects->at[o].notes.functions.at[f];
    struct object_function at = {o, f}, first = objects_first(writing->objects, at);
    const struct sightings *sightings =
        sightings_at(writing->sightings, first.object, first.function);
    struct counts_function *counted = vec_push(&writing->counts[o].functions);
    *counted = (struct counts_function){.ident = function->ident,
                                        .lineno_checksum = function->lineno_checksum,
                                        .cfg_checksum = function->cfg_checksum};
    if (sightings->n)
        return function_met(writing, at, sightings, counted, err);
    function_unmet(writing, function, counted);
    return true;
}

/* What one file is called below a folder of profiles: its path, made into a name. */
static bool path_mangle(char out[PATH_MAX], const char *folder, const char *path, struct err *err)
{
    char real[PATH_MAX];
    if (!realpath(path, real))
        return err_errno(err, "%s", path);
    for (char *at = real; *at; at++)
        if (*at == '/')
            *at = '#';
    if ((size_t)snprintf(out, PATH_MAX, "%s/%s", folder, real) >= PATH_MAX)
        return err_set(err, ERR_SYSTEM, "%s: the name is too long", path);
    return true;
}

/* Where gcc looks for the counts of an object. */
static bool counts_path(char path[PATH_MAX], const struct writing *writing,
                        const struct object *object, struct err *err)
{
    if (writing->options->folder) {
        if (!path_mangle(path, writing->options->folder, object->path, err))
            return false;
    } else if ((size_t)snprintf(path, PATH_MAX, "%s", object->path) >= PATH_MAX) {
        return err_set(err, ERR_SYSTEM, "%s: the name is too long", object->path);
    }
    size_t n = strlen(path);
    if (n < 5 || strcmp(path + n - 5, ".gcno") != 0)
        return err_set(err, ERR_USAGE, "%s: the name of notes ends in .gcno", object->path);
    memcpy(path + n - 5, ".gcda", 5);
    return true;
}

/* An instrumented run's counts may have taken hours: what is there is kept beside. */
static bool object_write(struct writing *writing, uint32_t o, uint32_t sum_max, struct err *err)
{
    const struct object *object = &writing->objects->at[o];
    struct counts *counts = &writing->counts[o];
    struct counts_bytes bytes = {0};
    char path[PATH_MAX];
    if (!counts_path(path, writing, object, err))
        return false;
    bool there = access(path, F_OK) == 0;
    counts->head = object->notes.head;
    counts->runs = 1;
    counts->sum_max = sum_max;
    counts_encode(counts, &bytes);
    bool ok = place_file(path, bytes.at, bytes.n, PLACE_KEEP_OLD, NULL, err);
    vec_release(&bytes);
    writing->report->files += ok;
    writing->report->moved += ok && there;
    return ok;
}

/* Counts of an object that the program has no code of are somebody else's: not ours to move, but
 * gcc reads them. */
static void object_leave(struct writing *writing, const struct object *object)
{
    char path[PATH_MAX];
    struct err ignored;
    writing->report->foreign++;
    if (counts_path(path, writing, object, &ignored) && access(path, F_OK) == 0)
        writing->report->left++;
}

static uint32_t counts_most(const struct counts *counts, size_t n)
{
    uint64_t most = 0;
    for (size_t o = 0; o < n; o++)
        for (size_t f = 0; f < counts[o].functions.n; f++) {
            const struct counts_row *row = &counts[o].functions.at[f].rows[COUNTS_ARCS];
            for (size_t i = 0; i < row->n; i++)
                if (row->at[i] > most)
                    most = row->at[i];
        }
    return most > UINT32_MAX ? UINT32_MAX : (uint32_t)most;
}

static bool objects_write(struct writing *writing, struct err *err)
{
    const struct objects *objects = writing->objects;
    bool ok = true;
    writing->counts = mem_alloc((objects->n + 1) * sizeof *writing->counts);
    for (uint32_t o = 0; ok && o < objects->n; o++) {
        if (!writing->sightings->seen[o]) {
            object_leave(writing, &objects->at[o]);
            continue;
        }
        for (uint32_t f = 0; ok && f < objects->at[o].notes.functions.n; f++)
            ok = function_count(writing, o, f, err);
    }
    uint32_t most = counts_most(writing->counts, objects->n);
    for (uint32_t o = 0; o < objects->n; o++) {
        if (ok && writing->sightings->seen[o])
            ok = object_write(writing, o, most, err);
        counts_release(&writing->counts[o]);
    }
    mem_free(writing->counts);
    return ok;
}

static bool scene_export(struct scene *scene, const struct profile *profile,
                         const struct gcda_options *options, struct gcda_report *report,
                         struct err *err)
{
    struct code_counts code;
    struct objects objects;
    struct sightings_of sightings;
    if (!objects_read(&objects, options->notes, err))
        return false;
    bool ok = export_counts(&code, scene, profile, options->counts, err);
    if (ok && !(ok = sightings_gather(&sightings, &objects, &code, err)))
        code_counts_release(&code);
    if (ok) {
        struct writing writing = {.options = options,
                                  .objects = &objects,
                                  .sightings = &sightings,
                                  .report = report,
                                  .exact = profile->mode == PROFILE_EXACT};
        *report = (struct gcda_report){.unreadable = objects.unreadable,
                                       .explained = (double)sightings.explained /
                                                    (double)sightings.executed};
        ok = objects_write(&writing, err);
        report->told =
            writing.told.branched ? (double)writing.told.told / (double)writing.told.branched : 1;
        sightings_release(&sightings);
        code_counts_release(&code);
    }
    objects_release(&objects);
    return ok;
}

bool gcda_export(const struct profile *profile, const struct gcda_options *options,
                 struct gcda_report *ret_report, struct err *err)
{
    struct scene scene;
    struct gcda_report report;
    scene_open(&scene, &profile, 1, NULL);
    bool ok = scene_export(&scene, profile, options, &report, err);
    scene_close(&scene);
    if (ok)
        *ret_report = report;
    return ok;
}
