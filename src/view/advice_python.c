#include "analysis/report/ranking.h"
#include "base/err.h"
#include "view/advice_say.h"

#include <string.h>

/* Without names of Python functions, where they could be had and would be of use. */
static void advise_names(struct adviser *adviser)
{
    const struct report *report = adviser->report;
    bool attached = advice_attached(report);
    if (!report->has_plain || report->scene->sides[0]->mode != PROFILE_PLAIN)
        return;
    for (size_t i = 0; i < report->n; i++) {
        const struct report_row *row = &report->at[i];
        if (!row->name || strcmp(row->name, "_PyEval_EvalFrameDefault") != 0 ||
            !(report_total_share(report, row).lo > 0.01))
            continue;
        advise(adviser,
               "Python functions have names in recordings without --plain, and of python3.12 -X "
               "perf also in plain ones|gait record %s%s",
               attached ? "-p " : "-- ", attached ? "PID" : advice_command(report));
        return;
    }
}

/* Who runs Python asks for its functions; the interpreter's are what they are made of. */
void advise_python(struct adviser *adviser)
{
    const struct report *report = adviser->report;
    struct ranking ranking;
    struct err ignored;
    if (report->by != BY_FUNCTION || report->scene->only_module || report->scene->only_function ||
        report->scene->sides[0]->mode == PROFILE_EXACT)
        return;
    if (!profile_has_python(report->scene->sides[0])) {
        advise_names(adviser);
        return;
    }
    const struct rank_keys keys = {.at = {RANK_PYTHON}, .n = 1};
    if (!ranking_make(&ranking, report->scene, keys, (struct rank_filter){0}, &ignored))
        return;
    size_t i = 0;
    while (i < ranking.n && !ranking.at[i].name)
        i++;
    if (i < ranking.n) {
        const struct rank_row *row = &ranking.at[i];
        const char *slash = row->file ? strrchr(row->file, '/') : NULL;
        struct estimate share = ranking_share(&ranking, row);
        if (share.lo > 0.01)
            advise(adviser,
                   "of Python functions, %s (%s:%u) takes the most: %s of CPU time, with C code "
                   "that it runs|gait report --by python",
                   row->name,
                   slash       ? slash + 1
                   : row->file ? row->file
                               : "?",
                   row->line, advice_share(share));
    }
    ranking_release(&ranking);
}
