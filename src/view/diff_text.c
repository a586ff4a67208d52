#include "view/views.h"

#include "analysis/report/diff.h"

#include "base/err.h"
#include "text/sheet.h"
#include "view/head.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAMED = 5 }; /* rows that the closing sentence names, each way */

/* Short runs are told in milliseconds. */
static bool is_short(const struct diff *diff)
{
    return diff->totals[BEFORE] < 1 && diff->totals[AFTER] < 1;
}

static const char *amount_text(const struct diff *diff, double value, bool sign)
{
    struct arena *arena = &diff->scenes[BEFORE]->arena;
    if (diff->weight == WEIGHT_TIME && is_short(diff))
        return arena_format(arena, sign ? "%+.2f ms" : "%.2f ms", 1e3 * value);
    if (diff->weight == WEIGHT_TIME)
        return arena_format(arena, sign ? "%+.3f s" : "%.3f s", value);
    return arena_format(arena, "%s%s", sign ? (value < 0 ? "-" : "+") : "",
                        count_text(fabs(value), diff->exact));
}

static const char *where_text(const struct diff *diff, const struct diff_row *row)
{
    struct arena *arena = &diff->scenes[BEFORE]->arena;
    uint32_t before = row->lines[BEFORE], after = row->lines[AFTER];
    if (!row->file)
        return diff->by == DIFF_LINE ? "(line not known)" : "";
    if (before == after || !after || !before)
        return arena_format(arena, "%s:%" PRIu32, row->file, before ? before : after);
    return arena_format(arena, "%s:%" PRIu32 " -> %" PRIu32, row->file, before, after);
}

static const char *module_text(const struct diff *diff, const struct diff_row *row)
{
    const struct diff_module *module = &diff->modules.at[row->module];
    const char *before = module->names[BEFORE], *after = module->names[AFTER];
    if (before && after && strcmp(before, after) != 0)
        return arena_format(&diff->scenes[BEFORE]->arena, "%s -> %s", before, after);
    return before ? before : after;
}

static const char *what_text(const struct diff *diff, const struct diff_row *row)
{
    return row->name ? name_text(diff->scenes[AFTER], row->name) : module_text(diff, row);
}

static const char *state_text(const struct diff_row *row)
{
    return !row->seen[BEFORE] ? "new" : !row->seen[AFTER] ? "gone" : "";
}

/* ---- the table */

static void change_cell(struct sheet *sheet, const struct diff *diff, const struct diff_row *row)
{
    const char *mark = diff->exact ? "" : row->sure ? " **" : row->beyond ? " * " : "   ";
    double half = fmax(row->change.hi - row->change.value, row->change.value - row->change.lo);
    const char *change = amount_text(diff, row->change.value, true);
    if (diff->exact)
        sheet_cell(sheet, "%s", change);
    else if (!isfinite(half))
        sheet_cell(sheet, "%s ±?%s", change, mark);
    else if (diff->weight == WEIGHT_TIME)
        sheet_cell(sheet, "%s ±%.*f%s", change, is_short(diff) ? 2 : 3,
                   is_short(diff) ? 1e3 * half : half, mark);
    else
        sheet_cell(sheet, "%s ±%s%s", change, count_text(half, false), mark);
    if (row->sure && !diff->exact)
        sheet_tone(sheet, row->change.value > 0 ? INK_HOT : INK_COLD);
}

static void row_print(struct sheet *sheet, const struct diff *diff, const struct diff_row *row)
{
    change_cell(sheet, diff, row);
    for (int side = 0; side < SIDES_MAX; side++)
        sheet_cell(sheet, "%s",
                   row->seen[side] ? amount_text(diff, row->amount[side].value, false) : "-");
    sheet_cell(sheet, "%+.2f", 100 * row->share_change.value);
    sheet_cell(sheet, "%s", state_text(row));
    sheet_cell(sheet, "%s", what_text(diff, row));
    if (diff->by == DIFF_LINE)
        sheet_cell(sheet, "%s", where_text(diff, row));
    if (diff->by != DIFF_MODULE)
        sheet_cell(sheet, "%s", module_text(diff, row));
}

static void sheet_fill(struct sheet *sheet, const struct diff *diff, size_t rows)
{
    static const char *const head[] = {"change", "before", "after", "% points", ""};
    for (size_t i = 0; i < sizeof head / sizeof *head; i++)
        sheet_cell(sheet, "%s", head[i]);
    if (diff->by != DIFF_MODULE)
        sheet_cell(sheet, "function");
    if (diff->by == DIFF_LINE)
        sheet_cell(sheet, "line");
    sheet_cell(sheet, "module");
    for (size_t i = 0; i < rows; i++)
        row_print(sheet, diff, &diff->at[i]);
}

static void table_print(FILE *to, const struct diff *diff, const struct ink *ink, size_t limit)
{
    struct sheet sheet;
    static const char *const aligns[] = {
        [DIFF_FUNCTION] = "rrrrlll", [DIFF_LINE] = "rrrrllll", [DIFF_MODULE] = "rrrrll"};
    size_t changed = 0; /* those that have stand first */
    while (changed < diff->n && diff->at[changed].change.value != 0)
        changed++;
    size_t rows = changed < limit ? changed : limit;
    sheet_begin(&sheet, aligns[diff->by], ink);
    sheet_fill(&sheet, diff, rows);
    while (names_narrow(diff->scenes[AFTER], sheet_width(&sheet))) {
        sheet_clear(&sheet);
        sheet_fill(&sheet, diff, rows);
    }
    diff->scenes[AFTER]->name_width = 0;
    sheet_end(&sheet, to);
    if (changed > limit)
        fprintf(to, "... and %zu more; --limit N shows N\n", changed - limit);
    if (changed < diff->n)
        fprintf(to, "%zu more did not change at all\n", diff->n - changed);
}

/* ---- what it comes to */

static void total_print(FILE *to, const struct diff *diff)
{
    double before = diff->totals[BEFORE], after = diff->totals[AFTER];
    fprintf(to, "%s %s -> %s: %s", diff->weight == WEIGHT_TIME ? "user time" : "instructions",
            amount_text(diff, before, false), amount_text(diff, after, false),
            amount_text(diff, after - before, true));
    if (before > 0)
        fprintf(to, " (%+.1f %%)", 100 * (after - before) / before);
    fprintf(to, "\n");
}

static void named_print(FILE *to, const struct diff *diff, int sign, const char *word)
{
    size_t n = 0;
    for (size_t i = 0; i < diff->n; i++) {
        const struct diff_row *row = &diff->at[i];
        if (!row->sure || (row->change.value > 0 ? 1 : -1) != sign)
            continue;
        n++;
        if (n > NAMED)
            continue;
        fprintf(to, "%s%s", n == 1 ? word : ", ", what_text(diff, row));
        if (diff->by == DIFF_LINE)
            fprintf(to, " %s", where_text(diff, row));
        fprintf(to, " (%s)", amount_text(diff, row->change.value, true));
    }
    if (n > NAMED)
        fprintf(to, " and %zu more", n - NAMED);
    if (n)
        fprintf(to, ".\n");
}

static void closing_print(FILE *to, const struct diff *diff)
{
    bool time = diff->weight == WEIGHT_TIME, any = false, shares = false;
    uint64_t beyond = 0;
    for (size_t i = 0; i < diff->n; i++) {
        any |= diff->at[i].sure;
        shares |= diff->at[i].share_sure;
        beyond += diff->at[i].beyond && !diff->at[i].sure;
    }
    fprintf(to, "\n");
    if (!any && diff->exact)
        fprintf(to, "Nothing changed.\n");
    else if (!any && diff->n == 1)
        fprintf(to, "Nothing changed beyond noise: the interval includes 0.\n");
    else if (!any)
        fprintf(to,
                "Nothing changed beyond noise: all intervals, widened because there are %zu rows, "
                "include 0.\n",
                diff->n);
    named_print(to, diff, 1, time ? "Slower beyond noise: " : "More instructions: ");
    named_print(to, diff, -1, time ? "Faster beyond noise: " : "Fewer instructions: ");
    if (diff->exact)
        return;
    if (any && !shares)
        fprintf(to, "No share moved beyond noise: all rows became slower or faster together, as on "
                    "another machine, at another clock rate or beside other load.\n");
    if (beyond)
        fprintf(to,
                "* marks %" PRIu64 " rows whose 95 %% interval excludes 0 unless it is widened; of "
                "%zu rows about %.0f are so by chance.\n",
                beyond, diff->n, ceil(0.05 * (double)diff->n));
    fprintf(to,
            "± covers the sampling error of these two recordings. Two runs of one program differ, "
            "too: record both again before you believe a small change.\n");
}

/* Whether the programs of both are called alike, or nobody knows how. */
static bool program_same(const struct diff *diff)
{
    const char *names[SIDES_MAX] = {NULL, NULL};
    for (int side = 0; side < SIDES_MAX; side++)
        for (uint32_t i = 0; i < diff->scenes[side]->modules.n; i++)
            if (scene_is_program(diff->scenes[side], i))
                names[side] = diff->scenes[side]->modules.at[i].name;
    return !names[BEFORE] || !names[AFTER] || strcmp(names[BEFORE], names[AFTER]) == 0;
}

/* What the one is and the other is not. */
static void warnings_print(FILE *to, const struct diff *diff)
{
    enum profile_mode modes[SIDES_MAX];
    double common[SIDES_MAX] = {0}, overlap = 0;
    for (int side = 0; side < SIDES_MAX; side++)
        modes[side] = diff->scenes[side]->sides[0]->mode;
    for (size_t i = 0; i < diff->n; i++) {
        const struct diff_row *row = &diff->at[i];
        if (!row->seen[BEFORE] || !row->seen[AFTER])
            continue;
        overlap += fmin(row->share[BEFORE].value, row->share[AFTER].value);
        for (int side = 0; side < SIDES_MAX; side++)
            common[side] += row->share[side].value;
    }
    if (!program_same(diff)) /* every program has a main: what they spend alike counts */
        common[BEFORE] = common[AFTER] = overlap;
    if (modes[BEFORE] != modes[AFTER])
        fprintf(
            to,
            "before is %s, after is %s: both have times, but not by the same means, and some of "
            "what differs may be that.\n",
            profile_mode_name(modes[BEFORE]), profile_mode_name(modes[AFTER]));
    different_text(to, diff->n > 0 && diff->totals[BEFORE] > 0 && diff->totals[AFTER] > 0,
                   common[BEFORE], common[AFTER]);
}

void diff_text(FILE *to, const struct diff *diff, const struct ink *ink, size_t limit)
{
    static const char *const sides[] = {"before", "after"};
    for (int side = 0; side < SIDES_MAX; side++) {
        fprintf(to, "%s:%*s", sides[side], 7 - (int)strlen(sides[side]), "");
        head_text(to, diff->scenes[side], 0);
    }
    fprintf(to, "\n");
    total_print(to, diff);
    fprintf(to, "by %s, %s\n", diff_by_name(diff->by),
            diff->same_build ? "one build" : "two builds, matched by name");
    warnings_print(to, diff);
    fputc('\n', to);
    table_print(to, diff, ink, limit);
    closing_print(to, diff);
    losses_text_both(to, diff->scenes, sides);
}
