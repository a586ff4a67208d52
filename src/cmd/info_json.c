#include "cmd/info_json.h"

#include "cmd/options/kept_windows.h"
#include "profile/no_values.h"
#include "analysis/pipeline/modelled.h"
#include "analysis/report/cost.h"
#include "view/profile_json.h"
#include "text/json.h"

#include <math.h>
#include <string.h>

/* Sorted by key, so that values of one key follow each other. */
static void facts_json(struct json *json, const struct facts *facts)
{
    json_object(json, "facts");
    for (size_t i = 0; i < facts->n; i++) {
        if (fact_tells_value(&facts->at[i]))
            continue;
        const char *key = facts->at[i].key;
        if (!i || strcmp(facts->at[i - 1].key, key) != 0)
            json_array(json, key);
        json_string(json, NULL, facts->at[i].value);
        if (i + 1 == facts->n || strcmp(facts->at[i + 1].key, key) != 0)
            json_array_end(json);
    }
    json_object_end(json);
}

static void threads_json(struct json *json, const struct threads *threads)
{
    json_array(json, "threads");
    for (size_t i = 0; i < threads->n; i++) {
        const struct thread_times *thread = &threads->at[i];
        json_object(json, NULL);
        json_integer(json, "pid", thread->pid);
        json_integer(json, "tid", thread->tid);
        json_string(json, "name", thread->name);
        bool known = thread_times_known(thread);
        json_number(json, "user_time", known ? (double)thread->user_ns / 1e9 : (double)NAN);
        json_number(json, "kernel_time", known ? (double)thread->kernel_ns / 1e9 : (double)NAN);
        json_number(json, "off_time", (double)thread->off_ns / 1e9);
        json_integer(json, "switches", thread->switches);
        json_object_end(json);
    }
    json_array_end(json);
}

/* 0 / 0 is no number, and written as null. */
static void ratio_json(struct json *json, const char *key, uint64_t part, uint64_t whole,
                       double scale)
{
    json_number(json, key, scale * ((double)part / (double)whole));
}

static void totals_json(struct json *json, const struct profile *profile)
{
    const struct totals *totals = &profile->totals;
    json_object(json, NULL);
    json_integer(json, "edges", profile->edges.n);
    json_integer(json, "ranges", profile->ranges.n);
    json_integer(json, "nodes", profile->stacks.nodes.n);
    json_integer(json, "names", profile->names.n);
    json_integer(json, "records", profile->samples.n);
    json_integer(json, "batches", totals->batches);
    json_integer(json, "windows", totals->windows);
    json_integer(json, "recorded_windows", totals->recorded ? totals->recorded : totals->windows);
    json_integer(json, "interrupts", totals->interrupts);
    json_integer(json, "kernel_samples", totals->kernel_samples);
    json_number(json, "walked_share", walked_share(totals));
    json_integer(json, "instructions", totals->instructions);
    ratio_json(json, "instructions_per_second", totals->instructions, totals->user_ns, 1e9);
    json_number(json, "user_time", (double)totals->user_ns / 1e9);
    json_number(json, "kernel_time", (double)totals->kernel_ns / 1e9);
    json_number(json, "whole_user_time", (double)totals->whole_user_ns / 1e9);
    json_number(json, "whole_kernel_time", (double)totals->whole_kernel_ns / 1e9);
    json_number(json, "off_time", (double)totals->off_ns / 1e9);
    json_number(json, "agent_time", (double)totals->agent_ns / 1e9);
    json_number(json, "tool_time", (double)totals->tool_ns / 1e9);
    struct cost cost = cost_of(totals);
    json_number(json, "once_time", (double)totals->once_ns / 1e9);
    json_number(json, "agent_share", cost.agent / 100);
    json_number(json, "interrupts_share", cost.interrupts / 100);
    json_number(json, "walking_share", cost.walking / 100);
    json_number(json, "copying_share", cost.copying / 100);
    json_number(json, "tool_share", cost.tool / 100);
    json_object_end(json);
}

/* Of the views that need something special, those that this profile has. */
static void views_json(struct json *json, const struct profile *profile)
{
    const struct {
        const char *name;
        bool there;
    } views[] = {
        {"paths", profile->paths.n || profile->path_parts.n},
        {"values", profile->values.n > 0},
        {"latencies", profile->latencies.n > 0},
        {"conflicts", profile->conflicts.n > 0},
        {"waste", profile->waste.n > 0},
        {"pipeline", profile->samples.n || modelled_has(profile)},
        {"whatif", kept_windows_has(profile)},
        {"waits", profile->waits.cells.n > 0},
        {"timeline", profile->times.cells.n > 0},
        {"python", profile_has_python(profile)},
    };
    json_array(json, "views");
    for (size_t i = 0; i < sizeof views / sizeof *views; i++)
        if (views[i].there)
            json_string(json, NULL, views[i].name);
    json_array_end(json);
}

void info_json(FILE *to, const struct profile *profile)
{
    struct json json;
    json_begin(&json, to);
    json_object(&json, NULL);
    json_string(&json, "schema", "gait/info/1");
    json_string(&json, "command", profile->command ? profile->command : "");
    json_string(&json, "mode", profile_mode_name(profile->mode));
    json_string(&json, "weight", "count");
    json_bool(&json, "raw", true);
    json_bool(&json, "complete", profile->complete);
    json_integer(&json, "recordings", profile->totals.recordings ? profile->totals.recordings : 1);
    json_integer(&json, "start_ns", profile->start_unix_ns);
    views_json(&json, profile);
    facts_json(&json, &profile->facts);
    json_array(&json, "modules");
    for (size_t i = 0; i < profile->modules.n; i++)
        module_json(&json, i, &profile->modules.at[i]);
    json_array_end(&json);
    threads_json(&json, &profile->threads);
    json_object(&json, "losses");
    losses_met_json(&json, profile);
    json_object_end(&json);
    json_object(&json, "loss_texts");
    for (int i = 0; i < LOSS_N; i++)
        if (profile->totals.losses[i])
            json_string(&json, loss_name((enum loss)i), loss_text((enum loss)i));
    json_object_end(&json);
    json_array(&json, "rows");
    totals_json(&json, profile);
    json_array_end(&json);
    json_object_end(&json);
    json_end(&json);
}
