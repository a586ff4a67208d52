#include "analysis/report/pick.h"

#include "base/err.h"
#include "program/names/match.h"
#include "analysis/counts/labels.h"
#include "analysis/report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CANDIDATES_SHOWN = 5 };

/* ---- MODULE+0xADDRESS */

static const struct report_row *row_at(const struct report *report, const char *typed,
                                       size_t module_bytes, uint64_t at)
{
    const struct scene *scene = report->scene;
    for (size_t i = 0; i < report->n; i++) {
        const struct report_row *row = &report->at[i];
        const char *module =
            row->module < scene->modules.n ? scene->modules.at[row->module].name : "[unknown]";
        if (strlen(module) == module_bytes && memcmp(module, typed, module_bytes) == 0 &&
            (row->at == at || (row->function != FUNCTION_NONE &&
                               scene_function_at(scene, row->module, at) == row->function)))
            return row;
    }
    return NULL;
}

/* ---- what to say if there is not exactly one */

struct texts {
    char list[384];
    size_t used;
};

static bool text_add(struct texts *texts, const char *text)
{
    size_t bytes = strlen(text) + 2;
    if (texts->used + bytes + 1 > sizeof texts->list)
        return false;
    texts->used += (size_t)snprintf(texts->list + texts->used, sizeof texts->list - texts->used,
                                    "%s%s", texts->used ? ", " : "", text);
    return true;
}

static bool say_ambiguous(const struct report *report, const char *typed, size_t found,
                          struct err *err)
{
    struct texts texts = {0};
    size_t shown = 0;
    for (size_t i = 0; i < report->n && shown < CANDIDATES_SHOWN; i++) {
        const struct report_row *row = &report->at[i];
        const char *readable = scene_readable(report->scene, row->name);
        if (!name_matches(typed, row->name, readable))
            continue;
        if (!text_add(&texts,
                      arena_format(&report->scene->arena, "%s (%.60s)",
                                   address_text(report->scene, row->module, row->at), readable)))
            break;
        shown++;
    }
    return err_set(err, ERR_MISSING, "'%.60s' could be %s%s", typed, texts.list,
                   shown < found ? " or others" : "");
}

/* Functions that are there but did not run. */
static const char *unseen(const struct report *report, const char *typed)
{
    struct scene *scene = report->scene;
    for (size_t m = 0; m < scene->modules.n; m++) {
        const struct binary *binary = scene->modules.at[m].binary;
        for (size_t f = 0; binary && f < binary->symbols.functions.n; f++) {
            const char *name = scene_function_name(scene, (uint32_t)m, (function_id)f);
            if (strcmp(typed, name) == 0 ||
                (name[0] == '_' && name_matches(typed, name, scene_readable(scene, name))))
                return scene->modules.at[m].name;
        }
    }
    return NULL;
}

/* Code that ran and whose names nobody knows may be the one; NULL: there is none. */
static const struct scene_module *unnamed(const struct report *report)
{
    for (size_t i = 0; i < report->n; i++) {
        const struct report_row *row = &report->at[i];
        if (row->module < report->scene->modules.n && report_row_unnamed(report, row) &&
            report->scene->modules.at[row->module].name[0] != '[')
            return &report->scene->modules.at[row->module];
    }
    return NULL;
}

static bool say_none(const struct report *report, const char *typed, struct err *err)
{
    enum { NEAREST = 3 };
    const struct report_row *nearest[NEAREST] = {0};
    size_t distances[NEAREST];
    const char *module = unseen(report, typed);
    if (module)
        return err_set(err, ERR_MISSING, "'%.60s' of %.60s was not seen to run", typed, module);
    for (size_t i = 0; i < report->n; i++) {
        const struct report_row *row = &report->at[i];
        size_t distance = name_distance(typed, scene_readable(report->scene, row->name));
        for (int k = 0; k < NEAREST; k++)
            if (!nearest[k] || distance < distances[k]) {
                for (int j = NEAREST - 1; j > k; j--) {
                    nearest[j] = nearest[j - 1];
                    distances[j] = distances[j - 1];
                }
                nearest[k] = row;
                distances[k] = distance;
                break;
            }
    }
    struct texts texts = {0};
    for (int k = 0; k < NEAREST && nearest[k]; k++)
        text_add(&texts, arena_format(&report->scene->arena, "%.100s",
                                      scene_readable(report->scene, nearest[k]->name)));
    const struct scene_module *lost = unnamed(report);
    if (lost)
        return err_set(err, ERR_MISSING, "no function '%.60s' is known; no names of %.60s: %s",
                       typed, lost->name, lost->missing ? lost->missing : "it has none");
    return err_set(err, ERR_MISSING, "no function '%.60s' was seen to run; nearest: %s", typed,
                   texts.used ? texts.list : "none");
}

const struct report_row *pick_function(const struct report *report, const char *typed,
                                       struct err *err)
{
    size_t module_bytes, found = 0;
    uint64_t at;
    if (address_parse(typed, &module_bytes, &at)) {
        const struct report_row *row = row_at(report, typed, module_bytes, at);
        if (!row)
            err_set(err, ERR_MISSING, "nothing was seen to run in the function at %s", typed);
        return row;
    }
    const struct report_row *row = NULL, *equal = NULL;
    size_t equals = 0;
    for (size_t i = 0; i < report->n; i++) {
        const char *name = report->at[i].name;
        if (!name_matches(typed, name, scene_readable(report->scene, name)))
            continue;
        found++;
        row = row ? row : &report->at[i];
        if (strcmp(typed, name) == 0) {
            equals++;
            equal = &report->at[i];
        }
    }
    if (equals == 1) /* whatever else it is a glob or a stem of */
        return equal;
    if (found == 1)
        return row;
    if (found)
        say_ambiguous(report, typed, found, err);
    else
        say_none(report, typed, err);
    return NULL;
}

bool pick_functions(struct picked *picked, const struct report *report, const char *typed,
                    size_t limit, struct err *err)
{
    for (size_t i = 0; strpbrk(typed, "*?") && i < report->n && picked->n < limit; i++) {
        const struct report_row *row = &report->at[i];
        if (row->function != FUNCTION_NONE &&
            name_matches(typed, row->name, scene_readable(report->scene, row->name)))
            *vec_push(picked) = row;
    }
    if (picked->n)
        return true;
    const struct report_row *row = pick_function(report, typed, err);
    if (row)
        *vec_push(picked) = row;
    return row != NULL;
}
