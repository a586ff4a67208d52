#include "cmd/summary.h"

#include "base/memory.h"
#include "cmd/cmd.h"
#include "cmd/summary_parts.h"
#include "collect/recording.h"

#include <stdio.h>
#include <string.h>

static void print_time(const struct recording *recording)
{
    const struct totals *totals = &recording->totals;
    char processes[48] = "";
    if (recording->processes > 1)
        snprintf(processes, sizeof processes, ", %u processes", recording->processes);
    say("%.2f s of CPU time (user %.2f, kernel %.2f), %.2f s elapsed%s",
        summary_seconds(totals->user_ns + totals->kernel_ns), summary_seconds(totals->user_ns),
        summary_seconds(totals->kernel_ns), summary_seconds(recording->wall_ns), processes);
}

static void print_exact(const struct recording *recording)
{
    char number[32];
    say("exact: %s instructions counted%s", summary_grouped(recording->totals.instructions, number),
        recording->whole ? "" : "; INCOMPLETE: not all of the run, see below");
}

static void print_overhead(const struct recording_options *options,
                           const struct recording *recording)
{
    const struct totals *totals = &recording->totals;
    uint64_t cpu = totals->user_ns + totals->kernel_ns, walked = recording->walked_ns;
    /* Walking does the program's work, too: only what goes beyond it is overhead. */
    uint64_t agent_ns = totals->agent_ns > walked ? totals->agent_ns - walked : 0;
    double alone = cpu > agent_ns ? (double)(cpu - agent_ns) : 1;
    double agent = 100 * (double)agent_ns / alone;
    double tool = 100 * (double)(totals->tool_ns - recording->startup_ns) / alone;
    char budget[64] = "rate fixed by -F";
    if (!options->record.fixed_hz)
        snprintf(budget, sizeof budget, "budget %.4g %%", options->record.overhead_ppm / 1e4);
    say("overhead %.2f %% by own measure (agent %.2f, tool %.2f), %s; start-up %.1f ms apart",
        agent + tool, agent, tool, budget, (double)recording->startup_ns / 1e6);
}

static void print_trigger(const struct recording *recording)
{
    const struct channel *channel = &recording->channel;
    if (channel->trigger == TRIGGER_PERF)
        say("trigger: perf clock, every %.2f ms of CPU time", (double)channel->period_ns / 1e6);
    else if (channel->perf_errno)
        say("trigger: CPU-time timer, every %.2f ms (the perf clock was refused: %s)",
            (double)channel->period_ns / 1e6, strerror(channel->perf_errno));
    else
        say("trigger: CPU-time timer, every %.2f ms of CPU time", (double)channel->period_ns / 1e6);
}

static void print_sampled(const struct recording_options *options,
                          const struct recording *recording)
{
    const struct totals *totals = &recording->totals;
    char interrupts[32], windows[32], instructions[32];
    double user = summary_seconds(totals->user_ns);
    say("%s interrupts, %s windows, %s instructions recorded (%.2f million per CPU second)",
        summary_grouped(totals->interrupts, interrupts), summary_grouped(totals->windows, windows),
        summary_grouped(totals->instructions, instructions),
        user > 0 ? (double)totals->instructions / user / 1e6 : 0);
    print_overhead(options, recording);
    print_trigger(recording);
    summary_too_short(totals, options->record.fixed_hz);
}

static void print_walks(const struct recording *recording)
{
    const struct channel *channel = &recording->channel;
    double handler = channel->handler_ticks ? (double)channel->handler_ticks : 1;
    say("ticks in the handler: lead %.1f %%, window %.1f %%, trail %.1f %%, translation %.1f %%",
        100 * (double)channel->lead_ticks / handler, 100 * (double)channel->window_ticks / handler,
        100 * (double)channel->trail_ticks / handler,
        100 * (double)channel->translate_ticks / handler);
    say("window %u and trail %u instructions; one interrupt costs %llu ticks at %.0f MHz",
        channel->window, channel->trail, (unsigned long long)channel->delivery_ticks,
        (double)channel->tsc_hz / 1e6);
    if (recording->untrue)
        say("%llu windows state a length that is not that of their exits",
            (unsigned long long)recording->untrue);
}

static void print_more(const struct recording *recording, uint32_t mode)
{
    const struct channel *channel = &recording->channel;
    if (mode == RECORD_SAMPLED)
        print_walks(recording);
    say("%llu superblocks, %llu KiB of code; %zu edges, %zu ranges, %zu points in %u modules",
        (unsigned long long)channel->superblocks, (unsigned long long)channel->code_bytes >> 10,
        recording->edges, recording->ranges, recording->points, recording->modules);
}

void summary_print(const struct recording_options *options, const struct recording *recording,
                   bool verbose)
{
    print_time(recording);
    if (!recording->processes)
        say("nothing was recorded: the program never loaded the agent. It is static, setuid, not "
            "x86-64, or clears LD_PRELOAD");
    else if (options->record.mode == RECORD_SAMPLED)
        print_sampled(options, recording);
    else
        print_exact(recording);
    summary_losses(&recording->totals);
    if (verbose && recording->processes)
        print_more(recording, options->record.mode);
    if (!*recording->write_error)
        summary_file(options->output, recording->file_bytes);
}
