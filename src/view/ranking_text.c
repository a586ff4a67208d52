#include "view/views.h"

#include "analysis/report/ranking.h"

#include "text/clean.h"
#include "text/sheet.h"
#include "text/source_paths.h"
#include "view/fit.h"
#include "view/head.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum column { SHARE, TOTAL, AMOUNT, USER, KERNEL, OFF, INSTRUCTIONS, WHERE, KEYS, COLUMNS = 16 };

struct page {
    const struct ranking *ranking;
    struct sheet sheet;
    struct source_paths paths;
    uint8_t columns[COLUMNS]; /* enum column; from KEYS on keys */
    size_t n;
};

static bool events(const struct ranking *ranking)
{
    return plain_counts_events(ranking->scene->sides[0]);
}

static bool column_there(const struct ranking *ranking, enum column column)
{
    bool mixed = !rank_keys_have(&ranking->keys, RANK_FUNCTION) &&
                 !rank_keys_have(&ranking->keys, RANK_MODULE) &&
                 !rank_keys_have(&ranking->keys, RANK_LINE) &&
                 !rank_keys_have(&ranking->keys, RANK_PYTHON);
    if (ranking->exact)
        return column == SHARE || column == INSTRUCTIONS;
    switch (column) {
    case SHARE:
    case AMOUNT: return true;
    case TOTAL: return ranking->n && !isnan(ranking_total(ranking, &ranking->at[0]).value);
    case USER:
    case KERNEL: return mixed;
    case OFF: return ranking->counted;
    case WHERE: return !mixed;
    default: return false;
    }
}

static const char *column_head(const struct ranking *ranking, size_t column)
{
    bool called = column_there(ranking, TOTAL);
    switch (column) {
    case SHARE: return ranking->exact ? "share" : called ? "self" : "time";
    case TOTAL: return "total";
    case AMOUNT: return events(ranking) ? "events" : "seconds";
    case USER: return "user";
    case KERNEL: return "kernel";
    case OFF: return "off CPU";
    case INSTRUCTIONS: return "instructions";
    case WHERE: return "in";
    default: return rank_key_name((enum rank_key)(column - KEYS));
    }
}

static void amount_cell(struct page *page, double amount)
{
    if (events(page->ranking))
        sheet_cell(&page->sheet, "%s", count_text(amount, false));
    else if (amount > 0)
        sheet_cell(&page->sheet, "%.3f s", amount);
    else
        sheet_cell(&page->sheet, "-");
}

static void share_cell(struct page *page, const struct rank_row *row, struct estimate share)
{
    const struct profile *profile = page->ranking->scene->sides[0];
    if (share.value == 0)
        sheet_cell(&page->sheet, "-");
    else if (row->counted && share.lo == share.hi)
        sheet_cell(&page->sheet, "%.2f%%", 100 * share.value);
    else
        sheet_cell(&page->sheet, "%s", share_text(profile, share));
    sheet_tone(&page->sheet, ink_of_share(share.value));
}

static const char *module_name(const struct page *page, const struct rank_row *row)
{
    const struct scene_modules *modules = &page->ranking->scene->modules;
    if (row->module < modules->n)
        return modules->at[row->module].name;
    return row->name ? row->name : "[unknown]";
}

static void key_cell(struct page *page, const struct rank_row *row, enum rank_key key)
{
    const struct profile *profile = page->ranking->scene->sides[0];
    struct sheet *sheet = &page->sheet;
    const uint32_t thread = key == RANK_PROCESS ? row->pid : row->tid;
    if (row->rest) {
        sheet_cell(sheet, "(%s not known)", rank_key_name(key));
        return;
    }
    switch (key) {
    case RANK_PROCESS:
    case RANK_THREAD:
        if (!row->pid && row->counted && row->name) /* the kernel's, of no thread that is known */
            sheet_cell(sheet, "(not known)");
        else
            sheet_cell(sheet, "%s %" PRIu32, rank_thread_name(profile, row->pid, thread), thread);
        break;
    case RANK_CPU:
        if (row->cpu == SLICE_CPU_NONE)
            sheet_cell(sheet, "(not known)");
        else
            sheet_cell(sheet, "%" PRIu32, row->cpu);
        break;
    case RANK_MODULE: sheet_cell(sheet, "%s", module_name(page, row)); break;
    case RANK_FILE:
    case RANK_LINE:
        if (!row->file)
            sheet_cell(sheet, "(%s not known: %s)", key == RANK_FILE ? "file" : "line",
                       module_name(page, row));
        else if (key == RANK_FILE)
            sheet_cell(sheet, "%s", path_short(&page->paths, row->file));
        else
            sheet_cell(sheet, "%s:%" PRIu32, path_short(&page->paths, row->file), row->line);
        break;
    case RANK_KEYS: break;
    case RANK_PYTHON:
        if (!row->name)
            sheet_cell(sheet, "(not in Python)");
        else if (row->file && !rank_keys_have(&page->ranking->keys, RANK_LINE))
            sheet_cell(sheet, "%s (%s:%" PRIu32 ")", name_text(page->ranking->scene, row->name),
                       path_short(&page->paths, row->file), row->line);
        else
            sheet_cell(sheet, "%s", name_text(page->ranking->scene, row->name));
        break;
    case RANK_FUNCTION:
        sheet_cell(sheet, "%s",
                   row->name ? name_text(page->ranking->scene, row->name) : "[unknown]");
        break;
    }
    sheet_tone(sheet, INK_NAME);
}

static void cell(struct page *page, const struct rank_row *row, size_t column)
{
    const struct ranking *ranking = page->ranking;
    double user = ranking_user(ranking, row).value, kernel = ranking_kernel(ranking, row).value;
    switch (column) {
    case SHARE: share_cell(page, row, ranking_share(ranking, row)); break;
    case TOTAL: share_cell(page, row, ranking_total_share(ranking, row)); break;
    case AMOUNT: amount_cell(page, user + kernel); break;
    case USER: amount_cell(page, user); break;
    case KERNEL: amount_cell(page, kernel); break;
    case OFF: amount_cell(page, (double)row->off_ns / 1e9); break;
    case INSTRUCTIONS:
        sheet_cell(&page->sheet, "%s",
                   count_text(estimate_count(ranking->scene->sides[0], &row->body).value, true));
        break;
    case WHERE:
        sheet_cell(&page->sheet, "%s",
                   kernel > 0 && user > 0 ? "both"
                   : kernel > 0           ? "kernel"
                   : user > 0             ? "user"
                                          : "-");
        break;
    default: key_cell(page, row, (enum rank_key)(column - KEYS)); break;
    }
}

static void fill(struct page *page, size_t limit)
{
    const struct ranking *ranking = page->ranking;
    for (size_t c = 0; c < page->n; c++) {
        sheet_cell(&page->sheet, "%s", column_head(ranking, page->columns[c]));
        sheet_tone(&page->sheet, INK_HEAD);
    }
    for (size_t i = 0; i < ranking->n && i < limit; i++)
        for (size_t c = 0; c < page->n; c++)
            cell(page, &ranking->at[i], page->columns[c]);
}

static void rows_text(FILE *to, const struct ranking *ranking, const struct ink *ink, size_t limit)
{
    char align[COLUMNS + 1] = "";
    static const uint8_t gives_way[] = {AMOUNT, OFF, USER, KERNEL};
    uint8_t order[sizeof gives_way];
    struct fit fit = {.scene = ranking->scene, .order = order};
    struct page page = {.ranking = ranking};
    source_paths_begin(&page.paths);
    for (size_t i = 0; i < ranking->n && i < limit; i++)
        if (ranking->at[i].file)
            source_paths_add(&page.paths, ranking->at[i].file);
    for (uint8_t column = 0; column < KEYS; column++)
        if (column_there(ranking, column))
            page.columns[page.n++] = column;
    for (uint32_t k = 0; k < ranking->keys.n; k++)
        page.columns[page.n++] = (uint8_t)(KEYS + ranking->keys.at[k]);
    for (size_t c = 0; c < page.n; c++)
        align[c] = page.columns[c] < WHERE ? 'r' : 'l';
    for (size_t i = 0; i < sizeof gives_way; i++)
        for (uint8_t c = 0; c < page.n; c++)
            if (page.columns[c] == gives_way[i])
                order[fit.n++] = c;
    sheet_begin(&page.sheet, align, ink);
    do
        fill(&page, limit);
    while (fit_more(&fit, &page.sheet));
    ranking->scene->name_width = 0;
    sheet_end(&page.sheet, to);
    if (ranking->n > limit)
        fprintf(to, "... and %zu more; --limit N shows N\n", ranking->n - limit);
    if (page.paths.common[0])
        fprintf(to, "(files below %s)\n", text_clean(&ranking->scene->arena, page.paths.common));
}

static void keys_text(FILE *to, const struct ranking *ranking)
{
    for (uint32_t k = 0; k < ranking->keys.n; k++)
        fprintf(to, "%s%s", k ? ", " : "by ", rank_key_name(ranking->keys.at[k]));
    if (ranking->exact)
        fputs(", weighed by executed instructions\n\n", to);
    else if (events(ranking))
        fprintf(to, ", weighed by %s, in user code and in the kernel\n\n",
                profile_fact_find(ranking->scene->sides[0], "event"));
    else
        fputs(", weighed by CPU time, user and kernel\n\n", to);
}

/* Why rows and head differ. Rows of a few threads alone add up to less. */
static void modes_text(FILE *to, const struct ranking *ranking)
{
    const struct totals *totals = &ranking->scene->sides[0]->totals;
    double user = (double)totals->user_ns / 1e9, all = user + (double)totals->kernel_ns / 1e9;
    if (ranking->counted && fabs(ranking->user + ranking->kernel - all) <= 0.02 * all &&
        fabs(ranking->user - user) > 0.01 * all)
        fprintf(to,
                "(what of a row's time is kernel time is estimated, row by row: together user %.3f "
                "s, kernel %.3f s;\n the head has what the kernel counted for all)\n",
                ranking->user, ranking->kernel);
}

void ranking_text(FILE *to, const struct ranking *ranking, const struct ink *ink, size_t limit)
{
    head_text(to, ranking->scene, 0);
    keys_text(to, ranking);
    rows_text(to, ranking, ink, limit);
    modes_text(to, ranking);
    losses_text(to, ranking->scene, 0, 0);
}
