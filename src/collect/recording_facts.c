#include "collect/recording_facts.h"

#include "base/clock.h"
#include "collect/drain.h"
#include "collect/output/attached.h"
#include "collect/output/output.h"
#include "collect/recording.h"
#include "compress/hotlist.h"
#include "model/core/model.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* What windows were asked to hold, as --events has it, and how long they were asked to be. */
static void windows_describe(struct profile *head, const struct recording_options *options)
{
    static const struct {
        uint32_t bit;
        const char *name;
    } events[] = {{EVENTS_ADDRESS, ",address"}, {EVENTS_VALUE, ",value"},
                  {EVENTS_LATENCY, ",latency"}, {EVENTS_ARGUMENT, ",argument"},
                  {EVENTS_PAGE, ",page"},       {EVENTS_STACK, ",stack"}};
    char text[64] = "edge,call", window[16];
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        if (options->record.events & events[i].bit)
            strcat(text, events[i].name);
    profile_fact(head, "events", text);
    if (options->value_callers)
        profile_fact(head, "context", "values by who called");
    snprintf(window, sizeof window, "%u", options->record.window);
    if (options->record.window)
        profile_fact(head, "window", window);
}

void facts_first(struct profile *head, const struct recording_options *options)
{
    const struct record_options *record = &options->record;
    char budget[48];
    profile_init(head);
    head->mode = record->mode == RECORD_SAMPLED ? PROFILE_SAMPLED : PROFILE_EXACT;
    output_describe(head, options->command);
    attached_describe(head, options->pids, options->n_pids);
    if (record->fixed_hz)
        snprintf(budget, sizeof budget, "%u interrupts a second", record->fixed_hz);
    else
        snprintf(budget, sizeof budget, "%g %%", record->overhead_ppm / 1e4);
    if (record->mode == RECORD_SAMPLED)
        profile_fact(head, "budget", budget), windows_describe(head, options);
    if (options->only)
        profile_fact(head, "only", options->only_text);
    if (options->compress)
        profile_fact(head, "compress", options->compress);
    if (options->metric)
        profile_fact(head, "path_metric", options->metric);
    if (options->hotlist)
        profile_fact(head, "hotlist", hotlist_kind_name((enum hotlist_kind)(options->hotlist - 1)));
    if (options->core) {
        bool addresses = record->events & EVENTS_ADDRESS;
        profile_fact(head, "core", options->core->name);
        profile_fact(head, "core_addresses", addresses ? "recorded" : "taken to be hits");
    }
    if (options->paths && record->covered && !options->only)
        profile_fact(head, "counts", "of paths that came to an end");
}

void facts_agent(struct profile *profile, const struct recording_options *options,
                 const struct drain *drain)
{
    char hertz[24], clocks[48];
    snprintf(hertz, sizeof hertz, "%" PRIu64, drain->first.tsc_hz);
    snprintf(clocks, sizeof clocks, "%" PRIu64 " %" PRIu64, (uint64_t)__builtin_ia32_rdtsc(),
             clock_ns(CLOCK_REALTIME));
    if (drain->first.tsc_hz) {
        profile_fact(profile, "tsc_hz", hertz);
        profile_fact(profile, "tsc_at", clocks);
    }
    if (options->record.mode == RECORD_SAMPLED)
        profile_fact(profile, "trigger", drain->first.trigger == TRIGGER_PERF ? "perf" : "cputime");
}

/* What was passed on of values, and what was not: counts in the profile are estimates then. */
static void stream_describe(struct profile *profile, const struct recording_options *options,
                            struct drain *drain)
{
    struct drain_sum sum;
    char text[160];
    drain_sum(drain, true, &sum);
    snprintf(text, sizeof text,
             "%" PRIu64 " %s became %" PRIu64 " messages, which stand for %" PRIu64 "; %" PRIu64
             " of places that had converged were left out",
             sum.stream.taken, options->record.compress[0] ? "tuples" : "values", sum.stream.told,
             sum.stream.stands_for, sum.stream.settled);
    profile_fact(profile, "compressed", text);
}

void facts_last(struct profile *profile, const struct recording_options *options,
                struct drain *drain)
{
    char bytes[32];
    snprintf(bytes, sizeof bytes, "%" PRIu64 " bytes", drain->memory_bytes);
    if (drain->memory_bytes)
        profile_fact(profile, "agent_memory", bytes);
    if (options->compress)
        stream_describe(profile, options, drain);
}
