#include "cmd/stat/stat_rows.h"

#include "analysis/counts/labels.h"
#include "text/json.h"
#include "text/sheet.h"

#include <math.h>

static const struct {
    const char *key, *name;
} rows[STAT_N] = {
#define X(ident, key, name) {key, name},
    STAT_ROWS(X)
#undef X
};

/* ---- text */

static bool is_seconds(enum stat_row row)
{
    return row <= STAT_KERNEL;
}

static bool is_ratio(enum stat_row row)
{
    return row == STAT_CPUS || row == STAT_PER_TICK;
}

/* Digits in groups of three. */
static const char *grouped(double value, char room[40])
{
    char digits[32];
    int n = snprintf(digits, sizeof digits, "%.0f", value), used = 0;
    for (int i = 0; i < n; i++) {
        if (i && (n - i) % 3 == 0)
            room[used++] = ',';
        room[used++] = digits[i];
    }
    room[used] = 0;
    return room;
}

static void value_cell(struct sheet *sheet, struct estimate value, enum stat_row row)
{
    char room[40];
    bool rough = value.hi > value.value || isnan(value.hi);
    if (is_seconds(row))
        sheet_cell(sheet, "%.3f", value.value);
    else if (is_ratio(row))
        sheet_cell(sheet, "%.2f", value.value);
    else if (rough && value.value >= 100000)
        sheet_cell(sheet, "%s", count_text(value.value, false));
    else
        sheet_cell(sheet, "%s", grouped(value.value, room));
}

/* Windows are few, and the model's caches warm: that it saw no miss does not mean that there was
 * none. */
static void interval_cell(struct sheet *sheet, struct estimate value, bool seen_in_part)
{
    double half = fmax(value.hi - value.value, value.value - value.lo);
    if (seen_in_part && value.value == 0)
        sheet_cell(sheet, "none seen");
    else if (isnan(half))
        sheet_cell(sheet, "±?");
    else if (half > value.value && value.value > 0)
        sheet_cell(sheet, "over ±100%%");
    else if (half > 0 && value.value > 0)
        sheet_cell(sheet, "±%.*f%%", half / value.value < 0.1 ? 1 : 0, 100 * half / value.value);
    else
        sheet_cell(sheet, "%s", "");
}

/* What it is a part of. */
static const struct {
    enum stat_row row, of;
    const char *text;
} parts[] = {
    {STAT_BRANCHES, STAT_INSTRUCTIONS, "of instructions"},
    {STAT_CONDITIONAL, STAT_BRANCHES, "of branches"},
    {STAT_TAKEN, STAT_BRANCHES, "of branches"},
    {STAT_MISPREDICTED, STAT_BRANCHES, "of branches"},
};

static bool by_model(enum stat_row row)
{
    return row >= STAT_MISPREDICTED && row <= STAT_L3;
}

static const char *source_of(const struct stat_result *result, enum stat_row row)
{
    if (isnan(result->mean.at[row].value))
        return "unknown";
    if (by_model(row))
        return "model";
    if (row < STAT_INSTRUCTIONS || row > STAT_SYSCALLS)
        return "kernel";
    return result->exact ? "exact" : "estimated";
}

static void remark_cell(struct sheet *sheet, const struct stat_result *result, enum stat_row row)
{
    char part[64] = "";
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        double whole = result->mean.at[parts[i].of].value;
        if (parts[i].row == row && whole > 0)
            snprintf(part, sizeof part, "%.2f %% %s", 100 * result->mean.at[row].value / whole,
                     parts[i].text);
    }
    if (by_model(row) && row != STAT_MISPREDICTED)
        snprintf(part, sizeof part, "%.2f per 1,000 instructions",
                 1e3 * result->mean.at[row].value / result->mean.at[STAT_INSTRUCTIONS].value);
    const char *source = source_of(result, row);
    bool agents = row == STAT_MINOR || row == STAT_RSS;
    sheet_cell(sheet, "%s%s%s%s", part, *part ? "; " : "", source,
               agents ? "; the agent's included" : "");
}

static bool unsure(struct estimate value)
{
    return value.hi > 2 * value.value;
}

static void notes_text(FILE *to, const struct stat_result *result)
{
    if (result->exact)
        fputs("The run was exact, on copies that count: times, faults and memory are of that, not "
              "of a native run.\n",
              to);
    else if (!isnan(result->overhead))
        fprintf(to, "Sampled with an overhead of %.2f %%. --exact counts all.\n", result->overhead);
    if (result->exact && !result->whole)
        fputs("INCOMPLETE: not all of the run was counted; gait record --exact says why.\n", to);
    if (*result->core)
        fprintf(to, "Model: %s%s.\n", result->core,
                result->addressed ? "" : ", without addresses of data");
    if (isnan(result->mean.at[STAT_INSTRUCTIONS].value))
        fputs("Too short for samples, or no agent: instructions are unknown; --exact counts "
              "them.\n",
              to);
    else if (!result->exact && unsure(result->mean.at[STAT_INSTRUCTIONS]))
        fputs("Too few instructions were walked for good estimates; --exact counts them.\n", to);
    if (!result->exact && !isnan(result->mean.at[STAT_INSTRUCTIONS].value))
        fputs("System calls: only --exact counts them.\n", to);
}

void stat_text(FILE *to, const struct stat_result *result)
{
    struct sheet sheet;
    fprintf(to, "\n%s", result->command);
    if (result->runs > 1)
        fprintf(to, ", mean of %u runs; ± is a 95 %% interval of the mean", result->runs);
    fputs("\n\n", to);
    sheet_begin(&sheet, "rlll", NULL);
    static const char *const heads[] = {"value", "interval", "of", "source"};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        sheet_cell(&sheet, "%s", heads[i]);
    for (uint32_t row = 0; row < STAT_N; row++) {
        struct estimate value = result->mean.at[row];
        if (isnan(value.value))
            continue;
        value_cell(&sheet, value, (enum stat_row)row);
        interval_cell(&sheet, value, by_model((enum stat_row)row) && !result->exact);
        sheet_cell(&sheet, "%s", rows[row].name);
        remark_cell(&sheet, result, (enum stat_row)row);
    }
    sheet_end(&sheet, to);
    fputc('\n', to);
    notes_text(to, result);
}

/* ---- JSON */

void stat_json(FILE *to, const struct stat_result *result)
{
    struct json json;
    json_begin(&json, to);
    json_object(&json, NULL);
    json_string(&json, "schema", "gait/stat/1");
    json_string(&json, "command", result->command);
    json_string(&json, "mode", result->exact ? "exact" : "sampled");
    json_integer(&json, "runs", result->runs);
    json_number(&json, "overhead", result->overhead);
    json_string(&json, "core", result->core);
    json_array(&json, "rows");
    for (uint32_t row = 0; row < STAT_N; row++) {
        struct estimate value = result->mean.at[row];
        json_object(&json, NULL);
        json_string(&json, "name", rows[row].key);
        json_number(&json, "value", value.value);
        json_number(&json, "lo", value.lo);
        json_number(&json, "hi", value.hi);
        json_number(&json, "spread", result->spread[row]);
        json_string(&json, "source", source_of(result, (enum stat_row)row));
        json_object_end(&json);
    }
    json_array_end(&json);
    json_object_end(&json);
    json_end(&json);
}
