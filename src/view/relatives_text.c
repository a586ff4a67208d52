#include "view/views.h"

#include "analysis/report/relatives.h"

#include "text/sheet.h"
#include "view/fit.h"
#include "view/head.h"

#include <inttypes.h>
#include <math.h>

enum column { SHARE, AMOUNT, CALLS, INSTRUCTIONS, WHERE, NAME, MODULE, COLUMNS };

static bool column_there(const struct relatives *relatives, enum column column)
{
    switch (column) {
    case CALLS: return relatives->exact;
    case INSTRUCTIONS: return relatives->traced;
    case AMOUNT:
    case WHERE: return !relatives->exact;
    default: return true;
    }
}

static void cell(struct sheet *sheet, const struct relatives *relatives,
                 const struct relative *relative, enum column column)
{
    const struct profile *profile = relatives->scene->sides[0];
    const struct scene_modules *modules = &relatives->scene->modules;
    double amount = relatives->exact
                        ? 0
                        : relative_user(relatives, relative) + relative_kernel(relatives, relative);
    struct estimate share;
    switch (column) {
    case SHARE:
        share = relative_share(relatives, relative);
        sheet_cell(sheet, "%s", share_text(profile, share));
        sheet_tone(sheet, ink_of_share(share.value));
        break;
    case AMOUNT:
        if (plain_counts_events(profile))
            sheet_cell(sheet, "%s", count_text(amount, false));
        else
            sheet_cell(sheet, "%.3f s", amount);
        break;
    case CALLS: sheet_cell(sheet, "%" PRIu64, relative->calls); break;
    case INSTRUCTIONS: sheet_cell(sheet, "%" PRIu64, relative->instructions); break;
    case WHERE: sheet_cell(sheet, "%s", relative->kernel ? "kernel" : "user"); break;
    case NAME:
        sheet_cell(sheet, "%s",
                   relative->itself ? "(its own code)"
                   : relative->name ? name_text(relatives->scene, relative->name)
                                    : "(nobody: a thread starts here)");
        sheet_tone(sheet, INK_NAME);
        break;
    case MODULE:
        sheet_cell(sheet, "%s",
                   relative->module < modules->n ? modules->at[relative->module].name : "");
        break;
    case COLUMNS: break;
    }
}

static void title_text(FILE *to, const struct relatives *relatives)
{
    const struct relative *all = &relatives->all;
    double share = 100 * relative_share_of_all(relatives, all).value;
    const char *name = name_text(relatives->scene, relatives->found);
    if (relatives->n_found > 1)
        name = arena_format(&relatives->scene->arena, "%s and %" PRIu32 " other functions", name,
                            relatives->n_found - 1);
    bool callers = relatives->relation == CALLERS;
    fprintf(to, "%s %s%s", callers ? "who calls" : "whom", name, callers ? "" : " calls");
    if (relatives->traced)
        fprintf(to, ": %.2f %% of all instructions, callees included\n\n", share);
    else if (relatives->exact)
        fputs(", weighed by calls\n\n", to);
    else
        fprintf(to, ": %.2f %% of %s, callees included\n\n", share,
                plain_counts_events(relatives->scene->sides[0])
                    ? profile_fact_find(relatives->scene->sides[0], "event")
                    : "CPU time");
}

/* What a callee that runs already costs is not told twice. */
static void rest_text(FILE *to, const struct relatives *relatives)
{
    double told = 0;
    for (size_t i = 0; i < relatives->n; i++)
        told += relative_share(relatives, &relatives->at[i]).value;
    if (relatives->traced && relatives->relation == CALLEES && told < 0.9995)
        fprintf(to,
                "%.2f%% is in callees that were running already (recursion): their cost is told "
                "where they began\n",
                100 - 100 * told);
}

void relatives_text(FILE *to, const struct relatives *relatives, const struct ink *ink,
                    size_t limit)
{
    static const char *const heads[] = {"share", "seconds", "calls", "instructions",
                                        "in",    "caller",  "module"};
    char align[COLUMNS + 1] = "";
    enum column columns[COLUMNS];
    uint8_t order[1];
    size_t n = 0;
    struct sheet sheet;
    struct fit fit = {.scene = relatives->scene, .order = order};
    head_text(to, relatives->scene, 0);
    title_text(to, relatives);
    for (enum column column = 0; column < COLUMNS; column++)
        if (column_there(relatives, column)) {
            if (column == AMOUNT)
                order[fit.n++] = (uint8_t)n;
            align[n] = column < WHERE ? 'r' : 'l';
            columns[n++] = column;
        }
    sheet_begin(&sheet, align, ink);
    do {
        for (size_t c = 0; c < n; c++)
            sheet_cell(&sheet, "%s",
                       columns[c] == NAME && relatives->relation == CALLEES ? "callee"
                                                                            : heads[columns[c]]);
        for (size_t i = 0; i < relatives->n && i < limit; i++)
            for (size_t c = 0; c < n; c++)
                cell(&sheet, relatives, &relatives->at[i], columns[c]);
    } while (fit_more(&fit, &sheet));
    relatives->scene->name_width = 0;
    sheet_end(&sheet, to);
    if (relatives->n > limit)
        fprintf(to, "... and %zu more; --limit N shows N\n", relatives->n - limit);
    rest_text(to, relatives);
    losses_text(to, relatives->scene, 0, 0);
}

/* ---- JSON */

static void row_json(struct json *json, const struct relatives *relatives,
                     const struct relative *row)
{
    struct scene *scene = relatives->scene;
    bool events = !relatives->exact && plain_counts_events(scene->sides[0]);
    json_object(json, NULL);
    if (row->name) {
        json_string(json, "name", scene_readable(scene, row->name));
        json_string(json, "linkage", row->name);
        json_string(json, "address", address_text(scene, row->module, row->at));
    } else {
        json_null(json, "name");
        json_null(json, "linkage");
        json_null(json, "address");
    }
    json_bool(json, "itself", row->itself);
    estimate_json(json, "share", "share_lo", "share_hi", relative_share(relatives, row));
    if (relatives->exact) {
        json_integer(json, "count", row->calls);
        if (relatives->traced)
            json_integer(json, "total_instructions", row->instructions);
    } else {
        json_number(json, events ? "events" : "time", relative_user(relatives, row));
        json_number(json, events ? "kernel_events" : "kernel_time",
                    relative_kernel(relatives, row));
    }
    json_object_end(json);
}

void relatives_json(FILE *to, const struct relatives *relatives, size_t limit)
{
    struct json json;
    bool counts = relatives->exact || plain_counts_events(relatives->scene->sides[0]);
    json_begin(&json, to);
    head_json_by(&json, "report", relatives->scene, 0,
                 relatives->relation == CALLERS ? "caller" : "callee",
                 counts ? WEIGHT_COUNT : WEIGHT_TIME);
    json_string(&json, "function", scene_readable(relatives->scene, relatives->found));
    json_array(&json, "rows");
    for (size_t i = 0; i < relatives->n && i < limit; i++)
        row_json(&json, relatives, &relatives->at[i]);
    json_array_end(&json);
    json_object_end(&json);
    json_end(&json);
}
