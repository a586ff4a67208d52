#include "cmd/lab_history.h"

#include "base/err.h"
#include "cmd/cmd.h"
#include "cmd/view_options.h"
#include "lab/history.h"
#include "view/sheet.h"

#include <stdio.h>
#include <stdlib.h>

enum { STEPS_MOST = 100000, PLACES = 1000 };

static const uint32_t lengths[] = {1, 2, 4, 6, 8, 10, 12, 16};
static const char *const columns[] = {
    "bits",          "counts",         "history",     "pair",        "seen",
    "counts across", "history across", "pair across", "seen across", "given up"};
enum { COLUMNS = sizeof columns / sizeof *columns };

static double percent(uint32_t part, const struct trail_scores *scores)
{
    return scores->asked ? 100.0 * part / scores->asked : 0;
}

static void row_make(const struct history *history, uint32_t bits, double *cells, uint32_t *wrong)
{
    struct trail_scores inside, across;
    history_score(history, bits, false, PLACES, &inside);
    history_score(history, bits, true, PLACES, &across);
    *wrong += inside.wrong + across.wrong;
    cells[0] = bits;
    for (int i = 0; i < 2; i++) {
        const struct trail_scores *scores = i ? &across : &inside;
        double *to = cells + 1 + 4 * i;
        to[0] = percent(scores->counts, scores);
        to[1] = percent(scores->history, scores);
        to[2] = percent(scores->pair, scores);
        to[3] = percent(scores->seen, scores);
    }
    cells[9] = percent(across.gave_up, &across);
}

static void rows_print(const struct history *history, bool csv, uint32_t *wrong)
{
    struct sheet sheet;
    double cells[COLUMNS];
    sheet_begin(&sheet, "rrrrrrrrrr", NULL);
    for (int c = 0; c < COLUMNS; c++)
        sheet_cell(&sheet, "%s", columns[c]);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        row_make(history, lengths[i], cells, wrong);
        for (int c = 0; c < COLUMNS; c++)
            sheet_cell(&sheet, c ? "%.1f" : "%.0f", cells[c]);
    }
    if (!csv) {
        sheet_end(&sheet, stdout);
        return;
    }
    for (size_t i = 0; i < sheet.cells.n; i++)
        printf("%s%c", sheet.cells.at[i].text, (i + 1) % COLUMNS ? ',' : '\n');
    sheet_clear(&sheet);
}

int lab_history(char **command, const char *steps, bool csv)
{
    struct history history;
    struct err err;
    uint32_t wrong = 0;
    char *end = NULL;
    uint64_t most = steps ? strtoull(steps, &end, 10) : STEPS_MOST;
    if (steps && (*end || !most)) {
        err_set(&err, ERR_USAGE, "--steps %s: not a number", steps);
        return say_err(&err);
    }
    if (!command[0]) {
        err_set(&err, ERR_USAGE, "of what? gait lab history -- COMMAND");
        return say_err(&err);
    }
    if (!history_take(&history, command, most, &err))
        return say_err(&err);
    if (!csv)
        printf("history: of 100 places, at how many one way alone fits, and the right one\n"
               "%llu steps, %zu of them to new places of %s\n\n",
               (unsigned long long)history.taken, history.steps.n, command[0]);
    rows_print(&history, csv, &wrong);
    history_release(&history);
    if (wrong) {
        err_set(&err, ERR_FORMAT, "%u ways that were gone were not found: gait is wrong", wrong);
        return say_err(&err);
    }
    return output_status();
}
