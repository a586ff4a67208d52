#include "cmd/compare_gcda.h"

#include "base/err.h"
#include "base/scope.h"
#include "cmd/cmd.h"
#include "gcov/alike.h"
#include "text/json.h"
#include "text/sheet.h"

#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

bool path_has_gcda(const char *path)
{
    struct stat stat;
    uint32_t magic = 0;
    AUTO(fd_close) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &stat) < 0)
        return false;
    return S_ISDIR(stat.st_mode) ||
           (S_ISREG(stat.st_mode) && pread(fd, &magic, sizeof magic, 0) == sizeof magic &&
            magic == GCOV_MAGIC_COUNTS);
}

static double share_of(const struct alike *alike, const struct alike_row *row, int side)
{
    return alike->totals[side] ? (double)row->counts[side] / (double)alike->totals[side] : 0;
}

static int row_order(const void *a, const void *b, void *context)
{
    const struct alike_row *x = a, *y = b;
    double of_x = fabs(share_of(context, x, 0) - share_of(context, x, 1));
    double of_y = fabs(share_of(context, y, 0) - share_of(context, y, 1));
    if (of_x != of_y)
        return of_x > of_y ? -1 : 1;
    if (x->function != y->function)
        return x->function < y->function ? -1 : 1;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

static void print_text(struct alike *alike, enum item_by by, size_t limit)
{
    struct sheet sheet;
    printf("overlap by %s of gcc's graphs: %.2f %%\n", item_by_name(by), 100 * alike->overlap);
    printf("matched: %.2f %% of the truth's weight, %.2f %% of the other's; %zu keys\n",
           100 * alike->matched[0], 100 * alike->matched[1], alike->rows.n);
    if (alike->strangers)
        printf(
            "%zu functions have counts of another graph, or counts that do not flow: they count as "
            "never run\n",
            alike->strangers);
    if (alike->without_notes)
        printf("%zu files have no .gcno beside them: they are left out\n", alike->without_notes);
    if (!limit || !alike->rows.n)
        return;
    qsort_r(alike->rows.at, alike->rows.n, sizeof *alike->rows.at, row_order, alike);
    sheet_begin(&sheet, "rrrll", NULL);
    static const char *const head[] = {"difference", "truth", "other", "function", "where"};
    for (size_t i = 0; i < sizeof head / sizeof *head; i++)
        sheet_cell(&sheet, "%s", head[i]);
    for (size_t i = 0; i < alike->rows.n && i < limit; i++) {
        const struct alike_row *row = &alike->rows.at[i];
        double truth = 100 * share_of(alike, row, 0), other = 100 * share_of(alike, row, 1);
        sheet_change(&sheet, other - truth);
        sheet_cell(&sheet, "%.2f %%", truth);
        sheet_cell(&sheet, "%.2f %%", other);
        sheet_cell(&sheet, "%s", alike->names.at[row->function]);
        if (by == BY_EDGE)
            sheet_cell(&sheet, "block %" PRIu32 " -> %" PRIu32, row->from, row->to);
        else if (by == BY_BLOCK)
            sheet_cell(&sheet, "block %" PRIu32, row->from);
        else
            sheet_cell(&sheet, "%s", "");
    }
    printf("\n");
    sheet_end(&sheet, stdout);
}

static void print_json(const struct alike *alike, enum item_by by)
{
    struct json json;
    json_begin(&json, stdout);
    json_object(&json, NULL);
    json_string(&json, "schema", "gait/compare/1");
    json_string(&json, "command", "");
    json_string(&json, "mode", "exact");
    json_string(&json, "by", item_by_name(by));
    json_string(&json, "weight", "count");
    json_bool(&json, "raw", true);
    json_array(&json, "modules");
    json_array_end(&json);
    json_object(&json, "losses");
    json_integer(&json, "strangers", alike->strangers);
    json_integer(&json, "without_notes", alike->without_notes);
    json_object_end(&json);
    json_array(&json, "rows");
    json_object(&json, NULL);
    json_number(&json, "overlap", alike->overlap);
    json_number(&json, "matched_truth", alike->matched[0]);
    json_number(&json, "matched_other", alike->matched[1]);
    json_null(&json, "interval_coverage");
    json_integer(&json, "keys", alike->rows.n);
    json_object_end(&json);
    json_array_end(&json);
    json_object_end(&json);
    json_end(&json);
}

int compare_gcda(const struct view_options *view, const char *truth, const char *other)
{
    const char *const paths[ALIKE_SIDES] = {truth, other};
    enum alike_by by = view->by == BY_BLOCK      ? ALIKE_BLOCKS
                       : view->by == BY_FUNCTION ? ALIKE_FUNCTIONS
                                                 : ALIKE_ARCS;
    struct alike alike;
    struct err err;
    if (view->by == BY_INSTRUCTION) {
        err_set(&err, ERR_USAGE, "gcc's graphs have no instructions: --by edge, block or function");
        return say_err(&err);
    }
    if (!alike_compare(&alike, paths, by, &err))
        return say_err(&err);
    if (view->json)
        print_json(&alike, view->by);
    else
        print_text(&alike, view->by, view->has_limit ? view->limit : 10);
    alike_release(&alike);
    return output_status();
}
