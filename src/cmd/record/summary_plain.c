#include "cmd/cmd.h"
#include "analysis/report/cost.h"
#include "cmd/record/summary.h"
#include "cmd/record/summary_parts.h"
#include "collect/plain/plain.h"

#include <stdio.h>
#include <string.h>

static double percent(double part, double all)
{
    return all > 0 ? 100 * part / all : 0;
}

static void print_time(const struct plain_recording *plain)
{
    const struct totals *totals = &plain->totals;
    double user = summary_seconds(totals->user_ns), kernel = summary_seconds(totals->kernel_ns);
    double off = summary_seconds(totals->off_ns), all = user + kernel + off;
    say("user %.2f s (%.1f %%), kernel %.2f s (%.1f %%), off CPU %.2f s (%.1f %%) of %u thread%s; "
        "%.2f s elapsed",
        user, percent(user, all), kernel, percent(kernel, all), off, percent(off, all),
        plain->threads, plain->threads == 1 ? "" : "s", summary_seconds(plain->wall_ns));
    if (plain->usage.ru_maxrss)
        summary_usage(&plain->usage);
}

/* Clocks start anew in every thread: those shorter than a period are seldom met. */
static void print_coverage(const struct plain_recording *plain)
{
    const struct totals *totals = &plain->totals;
    double cpu = summary_seconds(totals->user_ns + totals->kernel_ns);
    double due = plain->hz * (plain->kernel ? cpu : summary_seconds(totals->user_ns));
    if (plain->clock && totals->interrupts && (double)totals->interrupts < due * 0.7)
        say("%.0f samples were expected: threads shorter than a sampling period are rarely "
            "sampled, and others of the same name stand for them; a higher -F samples more of "
            "them, -a all",
            due);
}

/* Without a sample: a process that was followed need not have ended, nor even have run. */
static void print_unsampled(const struct plain_options *options,
                            const struct plain_recording *plain)
{
    const struct totals *totals = &plain->totals;
    if (*options->argv)
        summary_too_short(totals, plain->hz);
    else if (!totals->interrupts)
        say("no sample: the recorded threads used %.1f ms of CPU time; they wait, or the recording "
            "was too short",
            1e3 * summary_seconds(totals->user_ns + totals->kernel_ns));
}

static void print_samples(const struct plain_options *options, const struct plain_recording *plain)
{
    const struct totals *totals = &plain->totals;
    char number[32];
    double cpu = summary_seconds(totals->user_ns + totals->kernel_ns);
    say("%s samples by %s%s, %.0f per CPU second", summary_grouped(totals->interrupts, number),
        plain->event, plain->kernel ? "" : ", user mode only",
        cpu > 0 ? (double)totals->interrupts / cpu : 0);
    for (uint32_t i = 0; i < plain->n_others; i++)
        say("%s samples by %s: --event %s", summary_grouped(plain->others[i].samples, number),
            plain->others[i].event, plain->others[i].event);
    if (plain->clock)
        print_unsampled(options, plain);
    if (*plain->refused)
        say("%s", plain->refused);
    print_coverage(plain);
    if (plain->ring_bytes < plain->ring_wanted)
        say("ring buffers of %zu KiB instead of %zu, because of the limit on locked memory (ulimit "
            "-l, kernel.perf_event_mlock_kb)",
            plain->ring_bytes >> 10, plain->ring_wanted >> 10);
}

static void print_cost(const struct plain_recording *plain)
{
    const struct totals *totals = &plain->totals;
    struct cost cost = cost_of(totals);
    double startup = (double)plain->startup_ns / 1e6;
    say("gait itself used %.3f s (%.2f %% of the program's CPU time); not included: start-up %.1f "
        "ms, names and file %.1f ms",
        cost.tool_ms / 1e3, cost.tool, startup,
        cost.once_ms - startup + (double)plain->close_ns / 1e6);
    if (plain->left_out)
        say("names of %zu modules with few samples are not kept: that would take longer than the "
            "budget allows; gait pack adds them",
            plain->left_out);
}

static void print_more(const struct plain_recording *plain)
{
    summary_stacks_more(plain->ends, plain->fallbacks);
    say("%zu nodes, %u modules, %u processes; rings of %zu KiB, stacks of %u KiB", plain->nodes,
        plain->modules, plain->processes, plain->ring_bytes >> 10, plain->stack_bytes >> 10);
}

void summary_plain(const struct plain_options *options, const struct plain_recording *plain,
                   bool verbose)
{
    print_time(plain);
    print_samples(options, plain);
    summary_stacks(plain->ends);
    print_cost(plain);
    summary_losses(&plain->totals, verbose);
    if (verbose)
        print_more(plain);
    if (!*plain->write_error)
        summary_file(options->output, plain->file_bytes, "report");
}
