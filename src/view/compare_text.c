#include "view/views.h"

#include "analysis/compare/compare.h"
#include "text/sheet.h"
#include "view/fit.h"
#include "view/head.h"

#include <inttypes.h>
#include <math.h>

void compare_json(FILE *to, const struct scene *scene, const struct comparison *comparison)
{
    struct json json;
    json_begin(&json, to);
    head_json(&json, "compare", scene, OTHER, comparison->by, comparison->weight,
              comparison->stray);
    const struct profile *truth = scene->sides[TRUTH];
    json_string(&json, "truth_command", truth->command ? truth->command : "");
    json_string(&json, "truth_mode", profile_mode_name(truth->mode));
    json_array(&json, "rows");
    json_object(&json, NULL);
    json_number(&json, "overlap", comparison->overlap);
    json_number(&json, "matched_truth", comparison->matched[TRUTH]);
    json_number(&json, "matched_other", comparison->matched[OTHER]);
    json_number(&json, "interval_coverage", comparison->coverage);
    json_integer(&json, "keys", comparison->keys);
    json_object_end(&json);
    json_array_end(&json);
    json_object_end(&json);
    json_end(&json);
}

static void difference_cells(struct sheet *sheet, struct scene *scene,
                             const struct comparison *comparison, const struct difference *row)
{
    const char *at = address_text(scene, row->module, row->at);
    sheet_change(sheet, 100 * (row->shares[OTHER] - row->shares[TRUTH]));
    sheet_cell(sheet, "%.2f %%", 100 * row->shares[TRUTH]);
    sheet_cell(sheet, "%.2f %%", 100 * row->shares[OTHER]);
    sheet_cell(sheet, "%s",
               name_text(scene, scene_function_name(scene, row->module, row->function)));
    sheet_cell(sheet, "%s", line_text(scene, row->module, row->at));
    if (comparison->by == BY_EDGE)
        sheet_cell(sheet, "%s -> 0x%" PRIx64, at, row->to);
    else if (comparison->by == BY_PATH)
        sheet_cell(sheet, "%s path %" PRIu64, at, row->to);
    else
        sheet_cell(sheet, "%s", at);
}

static void differences_text(FILE *to, struct scene *scene, const struct comparison *comparison,
                             size_t limit)
{
    enum { LINE = 4, HEADS = 6 };
    static const char *const heads[HEADS] = {"difference", "truth", "other",
                                             "function",   "line",  "where"};
    static const uint8_t order[] = {LINE};
    const struct differences *differences = &comparison->differences;
    struct fit fit = {.scene = scene, .order = order, .n = sizeof order};
    struct sheet sheet;
    sheet_begin(&sheet, "rrrlll", NULL);
    do {
        for (size_t i = 0; i < HEADS; i++)
            sheet_cell(&sheet, "%s", heads[i]);
        for (size_t i = 0; i < differences->n && i < limit; i++)
            difference_cells(&sheet, scene, comparison, &differences->at[i]);
    } while (fit_more(&fit, &sheet));
    scene->name_width = 0;
    sheet_end(&sheet, to);
}

void compare_text(FILE *to, struct scene *scene, const struct comparison *comparison, size_t limit)
{
    fprintf(to, "truth: ");
    head_text(to, scene, TRUTH);
    fprintf(to, "other: ");
    head_text(to, scene, OTHER);
    fprintf(to, "\noverlap by %s, weighed by %s%s: %.2f %%\n", item_by_name(comparison->by),
            weight_name(comparison->weight),
            scene->inferred[OTHER] ? counts_text(scene, OTHER, comparison->by) : "",
            100 * comparison->overlap);
    fprintf(to,
            "matched: %.2f %% of the truth's weight, %.2f %% of the other's; %" PRIu64 " keys\n",
            100 * comparison->matched[TRUTH], 100 * comparison->matched[OTHER], comparison->keys);
    if (isfinite(comparison->coverage) && scene->sides[OTHER]->mode != PROFILE_EXACT)
        fprintf(to, "truth inside the other's interval: %.1f %% of the keys that both have\n",
                100 * comparison->coverage);
    different_text(to, comparison->keys, comparison->matched[TRUTH], comparison->matched[OTHER]);
    if (limit && comparison->differences.n) {
        fprintf(to, "\nlargest differences, as shares of all:\n");
        differences_text(to, scene, comparison, limit);
    }
    losses_text(to, scene, OTHER, comparison->stray);
}
