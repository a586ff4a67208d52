#include "analysis/report/report_parts.h"

#include "base/err.h"

#include <string.h>

/* Rows of the program's functions are there already, with what they did in the kernel. */
static void kernel_rows_add(struct report *report)
{
    plain_list(&report->kernel_rows, &report->kernel, BY_FUNCTION);
    for (size_t i = 0; i < report->kernel_rows.n; i++) {
        const struct plain_row *from = &report->kernel_rows.at[i];
        const struct plain_function *function = &report->kernel.functions.at[from->function];
        bool kernel = function->module < report->scene->modules.n &&
                      strcmp(report->scene->modules.at[function->module].name, "[kernel]") == 0;
        if (kernel && (from->self.sum || from->total.sum))
            *vec_push(report) = (struct report_row){.module = function->module,
                                                    .function = function->function,
                                                    .name = function->name,
                                                    .at = from->at,
                                                    .plain = from,
                                                    .kernel = true};
    }
}

/* What windows alone have seen has no time: there is nothing to show of it. */
static void untimed_drop(struct report *report)
{
    size_t n = 0;
    for (size_t i = 0; i < report->n; i++)
        if (report->at[i].rank > 0 || report_total_share(report, &report->at[i]).value > 0)
            report->at[n++] = report->at[i];
    report->n = n;
}

/* The agent samples user code and the kernel itself, at rates of their own. Each is scaled to the
 * CPU time that the kernel counted for it. */
void report_rank_both(struct report *report, const struct report_options *options)
{
    struct scene *scene = report->scene;
    const struct profile *profile = scene->sides[0];
    struct err ignored;
    struct plain_filter filter = {.pid = options->pid, .tid = options->tid, .kernel = true};
    bool events = report->has_plain && plain_counts_events(profile);
    if (!options->both || report->by != BY_FUNCTION || (report->weight != WEIGHT_TIME && !events) ||
        profile->mode == PROFILE_EXACT || scene->only_module ||
        !plain_open(&report->kernel, scene, 0, filter, &ignored))
        return;
    report->both = true;
    report->kernel_sampled = report->kernel.kept.sum > 0;
    report->user_s = report->has_plain ? plain_amount(&report->plain, &report->plain.kept).value
                                       : (double)profile->totals.user_ns / 1e9;
    report->kernel_s = plain_amount(&report->kernel, &report->kernel.kept).value;
    if (report->kernel_sampled)
        kernel_rows_add(report);
    else if (!options->pid && !options->tid && !scene->only_function && !events) {
        report->kernel_s = (double)profile->totals.kernel_ns / 1e9;
        if (profile->totals.kernel_ns)
            *vec_push(report) =
                (struct report_row){.module = MODULE_NONE, .name = "[kernel]", .kernel = true};
    }
    for (size_t i = 0; i < report->n; i++) {
        double seconds = report_time(report, &report->at[i]).value;
        report->at[i].rank = seconds > 0 ? seconds : 0;
    }
    if (options->only_timed)
        untimed_drop(report);
}
