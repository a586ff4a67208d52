#include "gcov/alike.h"

#include "base/err.h"
#include "gcov/find.h"
#include "gcov/lines.h"
#include "gcov/spread.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct comparing {
    struct alike *alike;
    enum alike_by by;
    const char *object;
    const struct notes_function *function;
};

/* ---- one function */

static void row_add(struct comparing *comparing, uint32_t from, uint32_t to,
                    const uint64_t counts[ALIKE_SIDES])
{
    struct alike *alike = comparing->alike;
    if (!counts[0] && !counts[1])
        return;
    struct alike_row *row = vec_push(&alike->rows);
    *row = (struct alike_row){(uint32_t)alike->names.n - 1, from, to, {counts[0], counts[1]}};
    for (int side = 0; side < ALIKE_SIDES; side++)
        alike->totals[side] += counts[side];
}

static void rows_add(struct comparing *comparing, uint64_t *const arcs[ALIKE_SIDES])
{
    const struct notes_function *function = comparing->function;
    uint64_t all[ALIKE_SIDES] = {0};
    uint64_t(*blocks)[ALIKE_SIDES] = mem_alloc((function->n_blocks + 1) * sizeof *blocks);
    for (size_t i = 0; i < function->arcs.n; i++) {
        const struct notes_arc *arc = &function->arcs.at[i];
        uint64_t counts[ALIKE_SIDES] = {arcs[0][i], arcs[1][i]};
        if (comparing->by == ALIKE_ARCS)
            row_add(comparing, arc->from, arc->to, counts);
        for (int side = 0; side < ALIKE_SIDES; side++) {
            blocks[arc->to][side] += counts[side];
            all[side] += counts[side];
        }
    }
    for (uint32_t b = 0; b < function->n_blocks && comparing->by == ALIKE_BLOCKS; b++)
        row_add(comparing, b, b, blocks[b]);
    if (comparing->by == ALIKE_FUNCTIONS)
        row_add(comparing, 0, 0, all);
    mem_free(blocks);
}

/* Whether the counts are the function's; what does not flow does not count. */
static bool arcs_read(const struct notes_function *function, const struct counts *counts,
                      uint64_t *arcs, size_t *strangers)
{
    const struct counts_function *counted = counts_find(counts, function->ident);
    if (!counted)
        return true;
    const struct counts_row *row = &counted->rows[COUNTS_ARCS];
    if (counted->cfg_checksum == function->cfg_checksum && row->n == function->n_counters &&
        spread_counters(function, row->at, arcs))
        return true;
    memset(arcs, 0, function->arcs.n * sizeof *arcs);
    *strangers += 1;
    return false;
}

static void object_compare(struct comparing *comparing, const struct notes *notes,
                           const struct counts counts[ALIKE_SIDES])
{
    struct alike *alike = comparing->alike;
    for (size_t f = 0; f < notes->functions.n; f++) {
        const struct notes_function *function = &notes->functions.at[f];
        uint64_t *arcs[ALIKE_SIDES];
        comparing->function = function;
        *vec_push(&alike->names) =
            arena_format(&alike->arena, "%s: %s", comparing->object, function->name);
        for (int side = 0; side < ALIKE_SIDES; side++) {
            arcs[side] = mem_alloc((function->arcs.n + 1) * sizeof *arcs[side]);
            arcs_read(function, &counts[side], arcs[side], &alike->strangers);
        }
        rows_add(comparing, arcs);
        for (int side = 0; side < ALIKE_SIDES; side++)
            mem_free(arcs[side]);
    }
}

/* ---- files */

/* Counts in a folder for -fprofile-use=FOLDER have the whole path in their names. */
static const char *object_name(const char *path)
{
    const char *name = file_last_part(path), *mangled = strrchr(name, '#');
    return mangled ? mangled + 1 : name;
}

/* NULL: neither file has notes beside it. */
static const char *notes_of(struct arena *arena, const char *const pair[ALIKE_SIDES])
{
    for (int side = 0; side < ALIKE_SIDES; side++) {
        const char *beside = pair[side] ? path_with(arena, pair[side], ".gcda", ".gcno") : NULL;
        if (beside && access(beside, R_OK) == 0)
            return beside;
    }
    return NULL;
}

static bool pair_compare(struct comparing *comparing, const char *const paths[ALIKE_SIDES],
                         const char *notes_path, struct err *err)
{
    struct counts counts[ALIKE_SIDES];
    struct notes notes;
    bool ok = true;
    if (!notes_read(&notes, notes_path, err))
        return false;
    memset(counts, 0, sizeof counts);
    for (int side = 0; ok && side < ALIKE_SIDES; side++)
        ok = !paths[side] || counts_read(&counts[side], paths[side], err);
    if (ok)
        object_compare(comparing, &notes, counts);
    for (int side = 0; side < ALIKE_SIDES; side++)
        counts_release(&counts[side]);
    notes_release(&notes);
    return ok;
}

static bool pairs_compare(struct comparing *comparing, const struct paths files[ALIKE_SIDES],
                          struct err *err)
{
    struct arena *arena = &comparing->alike->arena;
    bool one = files[0].n == 1 && files[1].n == 1;
    for (int side = 0; side < ALIKE_SIDES; side++)
        for (size_t i = 0; i < files[side].n; i++) {
            const char *pair[ALIKE_SIDES] = {NULL, NULL};
            pair[side] = files[side].at[i];
            for (size_t k = 0; k < files[!side].n && !pair[!side]; k++)
                if (one || strcmp(object_name(files[!side].at[k]), object_name(pair[side])) == 0)
                    pair[!side] = files[!side].at[k];
            if (side && pair[0])
                continue; /* was the first side's */
            for (int s = 0; s < ALIKE_SIDES; s++)
                if (pair[s] && !path_ends_in(pair[s], ".gcda"))
                    return err_set(err, ERR_FORMAT, "%s: not called .gcda", pair[s]);
            const char *found = notes_of(arena, pair);
            if (!found)
                return err_set(
                    err, ERR_MISSING,
                    "%s: its .gcno is not beside it: gcc leaves it with -ftest-coverage; "
                    "--notes FOLDER says where",
                    pair[side]);
            comparing->object = object_name(pair[side]);
            if (!pair_compare(comparing, pair, found, err))
                return false;
        }
    return true;
}

/* ---- all */

static void shares_sum(struct alike *alike)
{
    for (size_t i = 0; i < alike->rows.n; i++) {
        const uint64_t *counts = alike->rows.at[i].counts;
        double shares[ALIKE_SIDES];
        for (int side = 0; side < ALIKE_SIDES; side++) {
            shares[side] =
                alike->totals[side] ? (double)counts[side] / (double)alike->totals[side] : 0;
            if (counts[!side])
                alike->matched[side] += shares[side];
        }
        alike->overlap += shares[0] < shares[1] ? shares[0] : shares[1];
    }
}

bool alike_compare(struct alike *alike, const char *const paths[ALIKE_SIDES], enum alike_by by,
                   struct err *err)
{
    struct alike result = {0};
    struct comparing comparing = {.alike = &result, .by = by};
    struct paths files[ALIKE_SIDES];
    bool ok = true;
    memset(files, 0, sizeof files);
    for (int side = 0; ok && side < ALIKE_SIDES; side++) {
        ok = paths_find(&files[side], &result.arena, paths[side], ".gcda", err);
        if (ok && !files[side].n)
            ok = err_set(err, ERR_MISSING, "%s: no .gcda files there", paths[side]);
    }
    ok = ok && pairs_compare(&comparing, files, err);
    for (int side = 0; side < ALIKE_SIDES; side++)
        vec_release(&files[side]);
    if (!ok) {
        alike_release(&result);
        return false;
    }
    shares_sum(&result);
    *alike = result;
    return true;
}

void alike_release(struct alike *alike)
{
    vec_release(&alike->names);
    vec_release(&alike->rows);
    arena_release(&alike->arena);
}
