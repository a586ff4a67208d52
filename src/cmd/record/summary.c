#include "cmd/record/summary.h"

#include "base/memory.h"
#include "base/quote.h"
#include "cmd/cmd.h"
#include "analysis/counts/labels.h"
#include "analysis/pipeline/run_sums.h"
#include "analysis/report/cost.h"
#include "cmd/record/summary_parts.h"
#include "collect/recording.h"
#include "process/selection.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void summary_offer_plain(const struct recording_options *options, const char *why)
{
    struct arena arena = {0};
    bool named = strcmp(options->output, "gait.data") != 0;
    const char *what = arena_format(&arena, "-- %s", options->command);
    for (size_t i = 0; i < options->n_pids; i++)
        what = i ? arena_format(&arena, "%s,%d", what, options->pids[i])
                 : arena_format(&arena, "-p %d", options->pids[i]);
    say("%s: gait record --plain %s%s%s%s", why, named ? "-o " : "",
        named ? quote_word(&arena, options->output) : "", named ? " " : "", what);
    arena_release(&arena);
}

static const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

/* "2 threads and 1 forked child ran natively"; false: none did. */
static bool tell_native(const struct totals *totals, char *text, size_t room)
{
    unsigned long long threads = totals->losses[LOSS_thread_native];
    unsigned long long children = totals->losses[LOSS_child_native];
    char of_threads[48] = "", of_children[48] = "";
    if (threads)
        snprintf(of_threads, sizeof of_threads, "%llu thread%s", threads, plural(threads));
    if (children)
        snprintf(of_children, sizeof of_children, "%llu forked child%s", children,
                 children == 1 ? "" : "ren");
    snprintf(text, room, "%s%s%s ran natively", of_threads, threads && children ? " and " : "",
             of_children);
    return threads || children;
}

/* Some threads and children cannot be walked, and nothing is before a delay is over: what share
 * that is. */
static void print_unwalked(const struct recording_options *options,
                           const struct recording *recording)
{
    const struct totals *totals = &recording->totals;
    char native[128];
    double whole = summary_seconds(totals->whole_user_ns + totals->whole_kernel_ns);
    double walked = summary_seconds(totals->user_ns + totals->kernel_ns);
    if (walked >= 0.99 * whole)
        return;
    say("the whole program took %.2f s of CPU time (user %.2f, kernel %.2f); this profile has %.0f "
        "%% of it",
        whole, summary_seconds(totals->whole_user_ns), summary_seconds(totals->whole_kernel_ns),
        100 * walked / whole);
    if (tell_native(totals, native, sizeof native)) {
        strncat(native, "; a plain recording includes them", sizeof native - strlen(native) - 1);
        summary_offer_plain(options, native);
    }
}

static void print_time(const struct recording_options *options, const struct recording *recording)
{
    const struct totals *totals = &recording->totals;
    bool sampled = options->record.mode == RECORD_SAMPLED && recording->processes;
    char processes[48] = "", off[48] = "";
    /* The kernel tells of processes without an agent, too, unless they became too many. */
    uint32_t seen = recording->kernel.processes;
    seen = seen > recording->processes ? seen : recording->processes;
    if (seen > 1)
        snprintf(processes, sizeof processes, ", %u processes", seen);
    if (totals->off_ns)
        snprintf(off, sizeof off, ", %.2f s off the CPU", summary_seconds(totals->off_ns));
    /* An exact run has no samples that could tell better. */
    bool ticks = options->record.mode != RECORD_SAMPLED;
    say("%.2f s of CPU time%s (user %.2f, kernel %.2f%s)%s, %.2f s elapsed%s",
        summary_seconds(totals->user_ns + totals->kernel_ns), sampled ? " recorded" : "",
        summary_seconds(totals->user_ns), summary_seconds(totals->kernel_ns),
        ticks ? "; divided by the kernel's ticks" : "", off, summary_seconds(recording->wall_ns),
        processes);
    if (sampled)
        print_unwalked(options, recording);
    if (*options->argv)
        summary_usage(&recording->usage);
}

static void print_exact(const struct recording *recording)
{
    char number[32];
    say("exact: %s instructions counted%s", summary_grouped(recording->totals.instructions, number),
        recording->whole ? "" : "; INCOMPLETE: not all of the run, see below");
}

static void print_trace(const struct trace_verdict *trace)
{
    char exits[32], number[32];
    if (trace->astray)
        say("trace: WRONG: %s of %s superblocks do not begin where the one before ended; the first "
            "at 0x%llx, expected at 0x%llx",
            summary_grouped(trace->astray, number), summary_grouped(trace->exits, exits),
            (unsigned long long)trace->at, (unsigned long long)trace->expected);
    else
        say("trace: %s superblocks of %llu thread%s, each begins where the one before ended; %s "
            "begin%s elsewhere (signals)",
            summary_grouped(trace->exits, exits), (unsigned long long)trace->threads,
            plural(trace->threads), summary_grouped(trace->breaks, number),
            trace->breaks == 1 ? "s" : "");
}

static void print_overhead(const struct recording_options *options,
                           const struct recording *recording)
{
    struct cost cost = cost_of(&recording->totals);
    double allowed = options->record.overhead_ppm / 1e4, all = cost.agent + cost.tool;
    bool governed = !options->record.fixed_hz;
    char budget[64] = "rate fixed by -F";
    if (governed)
        snprintf(budget, sizeof budget, "budget %.4g %%", allowed);
    if (!cost.known) {
        say("overhead unknown: the agent measured %.2f s for itself, but the program took only "
            "%.2f s",
            summary_seconds(recording->totals.agent_ns),
            summary_seconds(recording->totals.user_ns + recording->totals.kernel_ns));
        return;
    }
    if (!recording->totals.interrupts && all > 100) { /* of nearly nothing no share says much */
        say("overhead %.1f ms, as gait measured it, beside %.1f ms of CPU time of the program",
            all / 100 * 1e3 * cost.alone, 1e3 * cost.alone);
        return;
    }
    double ahead = (double)recording->ahead_ns / 1e6, ending = (double)recording->ending_ns / 1e6;
    say("overhead %.2f %% as gait measured it (agent %.2f, tool %.2f), %s; not included: start-up "
        "%.1f ms, names %.1f ms (on an idle CPU), at the end %.1f ms",
        all, cost.agent, cost.tool, budget, cost.once_ms - ending - ahead, ahead,
        (double)recording->late_ns / 1e6);
    char why[64] = "";
    if (cost.alone < 10)
        snprintf(why, sizeof why, "; this weighs more in a short run (%.2g s of CPU time)",
                 cost.alone);
    if (governed && all > 1.2 * allowed)
        say("over the budget: copying new code took %.1f ms, reading and writing %.1f ms%s",
            (double)recording->translate_ns / 1e6, cost.tool_ms, why);
}

/* Neither clock nor timer was granted. */
static bool untriggered(const struct recording *recording)
{
    return recording->channel.trigger == TRIGGER_AUTO &&
           recording->totals.losses[LOSS_trigger_lost];
}

/* The agent changes the period as it learns what a walk costs: the mean of the run is what counts.
 */
static void print_trigger(const struct recording *recording)
{
    const struct channel *channel = &recording->channel;
    const struct totals *totals = &recording->totals;
    char every[64] = "", refused[128] = "";
    if (totals->interrupts)
        snprintf(every, sizeof every, ", on average every %.2f ms of CPU time",
                 1e3 * summary_seconds(totals->user_ns + totals->kernel_ns) /
                     (double)totals->interrupts);
    if (channel->trigger != TRIGGER_PERF && channel->perf_errno)
        snprintf(refused, sizeof refused, "; the perf clock was refused: %s (gait doctor says why)",
                 strerror(channel->perf_errno));
    if (untriggered(recording)) {
        say("trigger: none, the CPU-time timer was refused%s. --exact=counts needs none", refused);
        return;
    }
    say("trigger: %s%s%s", channel->trigger == TRIGGER_PERF ? "perf clock" : "CPU-time timer",
        every, refused);
}

/* Samples of the kernel that are in the profile. */
static uint64_t kernel_kept(const struct recording *recording)
{
    return recording->kernel.in_kernel + recording->kernel.bare;
}

/* Without a sample: what is true of it, and what helps. */
static void print_unsampled(const struct recording_options *options,
                            const struct recording *recording)
{
    const struct totals *totals = &recording->totals;
    uint64_t walked = totals->user_ns + totals->kernel_ns;
    uint64_t whole = totals->whole_user_ns + totals->whole_kernel_ns;
    char native[128];
    if (totals->interrupts || kernel_kept(recording) || untriggered(recording))
        return;
    if (walked < whole / 2 && tell_native(totals, native, sizeof native))
        say("no sample: the threads that used the CPU could not be walked");
    else if (options->record.delay_ns && walked < whole / 2)
        say("no sample: the program ended before the delay (-D) or soon after it");
    else if (options->n_pids)
        say("no sample: only %.1f ms of CPU time were used during the recording",
            1e3 * summary_seconds(walked));
    else
        summary_too_short(totals, options->record.fixed_hz);
}

/* Of the whole run, as far as windows tell. */
static void print_executed(const struct recording *recording)
{
    const struct profile run = {.mode = PROFILE_SAMPLED, .totals = recording->totals};
    struct estimate all = run_instructions(&run);
    double ticks = summary_seconds(recording->totals.user_ns) * (double)recording->channel.tsc_hz;
    if (!(all.value > 0) || !(ticks > 0) || isnan(all.hi))
        return;
    if (all.hi > 2 * all.value) {
        say("too few instructions were walked to estimate those of the run; --exact counts them");
        return;
    }
    say("the run: about %s instructions (%s to %s), %.2f per tick of the time stamp counter",
        count_text(all.value, false), count_text(all.lo, false), count_text(all.hi, false),
        all.value / ticks);
}

static void print_sampled(const struct recording_options *options,
                          const struct recording *recording)
{
    const struct totals *totals = &recording->totals;
    char interrupts[32], windows[32], instructions[32];
    double user = summary_seconds(totals->user_ns);
    if (totals->interrupts)
        say("%s interrupt%s, %s window%s, %s instructions recorded (%.2f million per CPU second)",
            summary_grouped(totals->interrupts, interrupts), totals->interrupts == 1 ? "" : "s",
            summary_grouped(totals->windows, windows), totals->windows == 1 ? "" : "s",
            summary_grouped(totals->instructions, instructions),
            user > 0 ? (double)totals->instructions / user / 1e6 : 0);
    print_executed(recording);
    print_overhead(options, recording);
    print_trigger(recording);
    print_unsampled(options, recording);
}

static void print_walks(const struct recording *recording)
{
    const struct channel *channel = &recording->channel;
    double handler = channel->handler_ticks ? (double)channel->handler_ticks : 1;
    say("ticks in the handler: window %.1f %%, trail %.1f %%, translation %.1f %%",
        100 * (double)channel->window_ticks / handler, 100 * (double)channel->trail_ticks / handler,
        100 * (double)channel->translate_ticks / handler);
    if (channel->tsc_hz && channel->instructions)
        say("time per instruction of a window: %.2f ns, including translation and interruptions",
            (double)channel->window_ticks * 1e9 / (double)channel->tsc_hz /
                (double)channel->instructions);
    say("a sample costs %.1f us, a trail adds %.1f, a recorded window %.1f, without the tool; one "
        "interrupt costs %llu ticks at %.0f MHz",
        (double)channel->rest_ns / 1e3, (double)channel->trail_ns / 1e3,
        (double)channel->window_ns / 1e3, (unsigned long long)channel->delivery_ticks,
        (double)channel->tsc_hz / 1e6);
    say("a recorded window has %llu different exits on average",
        (unsigned long long)channel->variety);
    if (recording->untrue)
        say("%llu windows have a length that does not match their exits",
            (unsigned long long)recording->untrue);
}

static void print_kernel(const struct recording *recording)
{
    const struct recording_kernel *kernel = &recording->kernel;
    if (kernel->on)
        say("samples of the kernel: %llu, at %llu per CPU second; kept %llu in the kernel, and "
            "%llu "
            "of threads that no agent samples; one costs %.1f us, all and %llu context switches "
            "%.1f ms",
            (unsigned long long)kernel->samples, (unsigned long long)kernel->hz,
            (unsigned long long)kernel->in_kernel, (unsigned long long)kernel->bare,
            (double)kernel->sample_ns / 1e3, (unsigned long long)kernel->switches,
            (double)kernel->cost_ns / 1e6);
    if (*kernel->refused)
        say("%s", kernel->refused);
}

static void print_more(const struct recording *recording, uint32_t mode)
{
    const struct channel *channel = &recording->channel;
    if (mode == RECORD_SAMPLED)
        print_walks(recording);
    say("%llu superblocks, %llu KiB of code; %zu edges, %zu ranges in %u modules",
        (unsigned long long)channel->superblocks, (unsigned long long)channel->code_bytes >> 10,
        recording->edges, recording->ranges, recording->modules);
}

/* Nothing to look at, or few samples of the kernel: what to type instead. */
static void print_agentless(const struct recording_options *options,
                            const struct recording *recording)
{
    say("%s: the program did not load the agent; %s%s%s",
        kernel_kept(recording) ? "only samples of the kernel were recorded"
                               : "nothing was recorded",
        *recording->stranger ? recording->stranger
        : recording->no_agent
            ? recording->no_agent
            : "it, or what it executes, may be static, setuid, not for x86-64, or clear LD_PRELOAD",
        *recording->bare ? ", and " : "", recording->bare);
    summary_offer_plain(options, kernel_kept(recording) ? "a plain recording has more of them"
                                                        : "plain samples need no agent");
}

/* What windows recorded besides edges. */
static void print_events(const struct payload_sum *sum)
{
    uint64_t addresses = 0, values = 0;
    for (uint32_t kind = PAYLOAD_ADDRESS; kind < PAYLOAD_KINDS; kind++) {
        if (kind <= PAYLOAD_GATHER_BASE && kind != PAYLOAD_COUNT)
            addresses += sum->events[kind];
        if (kind == PAYLOAD_OPERAND || kind == PAYLOAD_RESULT || kind == PAYLOAD_VECTOR ||
            kind >= PAYLOAD_ARGUMENT)
            values += sum->events[kind];
    }
    if (!sum->windows && !sum->astray)
        return;
    say("events of %llu instructions: %llu addresses, %llu values, %llu latencies",
        (unsigned long long)sum->instructions, (unsigned long long)addresses,
        (unsigned long long)values, (unsigned long long)sum->timed);
    if (sum->left_out)
        say("events not recorded, because an instruction has too many or unknown ones: %llu times",
            (unsigned long long)sum->left_out);
    if (sum->astray)
        say("events of %llu windows left out: they do not match their code",
            (unsigned long long)sum->astray);
}

static void print_unmet(const struct selection *only)
{
    for (size_t i = 0; only && i < only->items.n; i++)
        if (!only->items.at[i].met)
            say("--only %s: no such code ran, so nothing of it was recorded",
                only->items.at[i].typed);
}

/* What shows that which was asked for, and not only what every recording has. */
static const char *view_of(const struct recording_options *options)
{
    if (options->paths || options->trace_paths)
        return "paths";
    if (options->record.contexts || options->trace_contexts)
        return "contexts";
    if (options->loops)
        return "report --by loop";
    if (options->module)
        return "values --kind module";
    if (options->core)
        return "pipeline";
    if (options->record.events & EVENTS_ARGUMENT)
        return "values --kind argument";
    return options->record.events & EVENTS_VALUE     ? "values"
           : options->record.events & EVENTS_LATENCY ? "latencies"
           : options->record.events & EVENTS_ADDRESS ? "conflicts"
                                                     : "report";
}

void summary_print(const struct recording_options *options, const struct recording *recording,
                   bool verbose)
{
    print_time(options, recording);
    if (!recording->processes)
        print_agentless(options, recording);
    else if (options->record.mode == RECORD_SAMPLED)
        print_sampled(options, recording);
    else
        print_exact(recording);
    if (options->record.mode == RECORD_EXACT_TRACE && recording->processes)
        print_trace(&recording->trace);
    print_events(&recording->payloads);
    if (recording->processes)
        print_unmet(options->only);
    summary_losses(&recording->totals, verbose);
    if (*recording->module_error)
        say("%s; the recording continued without it", recording->module_error);
    if (*recording->left)
        say("%s", recording->left);
    if (*recording->stranger && recording->processes)
        say("%s: that part is not recorded", recording->stranger);
    if (verbose && options->record.mode == RECORD_SAMPLED)
        print_kernel(recording);
    if (verbose && recording->processes) {
        summary_stacks(recording->stack_ends);
        summary_stacks_more(recording->stack_ends, recording->stack_fallbacks);
        print_more(recording, options->record.mode);
    }
    if (recording->empty && recording->processes)
        say("nothing was recorded of what you asked for: not one %s", recording->empty);
    else if (!*recording->write_error && (recording->processes || kernel_kept(recording)))
        summary_file(options->output, recording->file_bytes, view_of(options));
}
