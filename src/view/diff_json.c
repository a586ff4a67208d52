#include "view/views.h"

#include "analysis/report/diff.h"

#include "view/head.h"

static void side_json(struct json *json, const struct diff *diff, int side)
{
    const struct profile *profile = diff->scenes[side]->sides[0];
    json_object(json, side == BEFORE ? "before" : "after");
    json_string(json, "command", profile->command ? profile->command : "");
    json_string(json, "mode", profile_mode_name(profile->mode));
    json_number(json, "total", diff->totals[side]);
    json_number(json, "user_time", (double)profile->totals.user_ns / 1e9);
    json_number(json, "kernel_time", (double)profile->totals.kernel_ns / 1e9);
    json_object_end(json);
}

void diff_head_json(struct json *json, const struct diff *diff)
{
    side_json(json, diff, BEFORE);
    side_json(json, diff, AFTER);
    json_bool(json, "same_build", diff->same_build);
}

static void line_json(struct json *json, const char *key, uint32_t line)
{
    if (line)
        json_integer(json, key, line);
    else
        json_null(json, key);
}

static void row_json(struct json *json, const struct diff *diff, const struct diff_row *row)
{
    const struct diff_module *module = &diff->modules.at[row->module];
    json_object(json, NULL);
    if (row->name) {
        json_string(json, "function", scene_readable(diff->scenes[AFTER], row->name));
        json_string(json, "linkage", row->name);
    }
    json_string(json, "module",
                module->names[AFTER] ? module->names[AFTER] : module->names[BEFORE]);
    if (diff->by == DIFF_LINE) {
        json_string(json, "file", row->file ? row->file : "[unknown]");
        line_json(json, "line_before", row->lines[BEFORE]);
        line_json(json, "line_after", row->lines[AFTER]);
    }
    json_string(json, "state", !row->seen[BEFORE] ? "new" : !row->seen[AFTER] ? "gone" : "both");
    estimate_json(json, "before", "before_lo", "before_hi", row->amount[BEFORE]);
    estimate_json(json, "after", "after_lo", "after_hi", row->amount[AFTER]);
    estimate_json(json, "change", "change_lo", "change_hi", row->change);
    estimate_json(json, "share_before", "share_before_lo", "share_before_hi", row->share[BEFORE]);
    estimate_json(json, "share_after", "share_after_lo", "share_after_hi", row->share[AFTER]);
    estimate_json(json, "share_change", "share_change_lo", "share_change_hi", row->share_change);
    json_bool(json, "beyond", row->beyond);
    json_bool(json, "sure", row->sure);
    json_bool(json, "share_sure", row->share_sure);
    json_object_end(json);
}

void diff_json(FILE *to, const struct diff *diff, size_t limit)
{
    static const enum item_by by[] = {
        [DIFF_FUNCTION] = BY_FUNCTION, [DIFF_LINE] = BY_LINE, [DIFF_MODULE] = BY_FUNCTION};
    struct json json;
    json_begin(&json, to);
    head_json(&json, "diff", diff->scenes[AFTER], 0, by[diff->by], diff->weight, 0);
    diff_head_json(&json, diff);
    json_array(&json, "rows");
    for (size_t i = 0; i < diff->n && i < limit; i++)
        row_json(&json, diff, &diff->at[i]);
    json_array_end(&json);
    json_object_end(&json);
    json_end(&json);
}
