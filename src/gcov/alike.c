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
        const char *beside = pair[side] && path_ends_in(pair[side], ".gcda")
                                 ? path_with(arena, pair[side], ".gcda", ".gcno")
                                 : NULL;
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

/* How many bytes two paths have in common at their ends. */
static size_t common_end(const char *a, const char *b)
{
    size_t n_a = strlen(a), n_b = strlen(b), n = 0;
    while (n < n_a && n < n_b && a[n_a - 1 - n] == b[n_b - 1 - n])
        n++;
    return n;
}

/* The file of that name whose folders are most alike; NULL: none. */
static const char *partner_of(const struct file_list *files, const char *path)
{
    const char *best = NULL;
    for (size_t i = 0; i < files->n; i++)
        if (strcmp(object_name(files->at[i]), object_name(path)) == 0 &&
            (!best || common_end(files->at[i], path) > common_end(best, path)))
            best = files->at[i];
    return best;
}

static bool pairs_compare(struct comparing *comparing, const struct file_list files[ALIKE_SIDES],
                          struct err *err)
{
    struct alike *alike = comparing->alike;
    bool one = files[0].n == 1 && files[1].n == 1;
    size_t compared = 0;
    for (int side = 0; side < ALIKE_SIDES; side++)
        for (size_t i = 0; i < files[side].n; i++) {
            const char *path = files[side].at[i], *pair[ALIKE_SIDES];
            pair[side] = path;
            pair[!side] = one ? files[!side].at[0] : partner_of(&files[!side], path);
            if (side && pair[0] && (one || partner_of(&files[1], pair[0]) == path))
                continue; /* was the first side's */
            const char *found = path_ends_in(path, ".gcda") ? notes_of(&alike->arena, pair) : NULL;
            if (!found) {
                alike->without_notes++;
                continue;
            }
            comparing->object = object_name(path);
            if (!pair_compare(comparing, pair, found, err))
                return false;
            compared++;
        }
    return compared || err_set(err, ERR_MISSING,
                               "%s: there is no .gcno beside it: gcc -fprofile-use -ftest-coverage "
                               "leaves one",
                               files[0].at[0]);
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
    struct file_list files[ALIKE_SIDES];
    bool ok = true;
    memset(files, 0, sizeof files);
    for (int side = 0; ok && side < ALIKE_SIDES; side++) {
        ok = file_list_find(&files[side], &result.arena, paths[side], ".gcda", err);
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
