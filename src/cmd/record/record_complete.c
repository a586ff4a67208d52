#include "cmd/record/record_complete.h"

#include "base/err.h"
#include "cmd/cmd.h"
#include "cmd/record/record_options.h"
#include "collect/copy_cost.h"
#include "collect/target/running.h"
#include "values/physical_pages.h"

#include <string.h>

enum { PLAIN_HZ = 997 };

static bool subject_check(const struct record_command *options, struct err *err)
{
    const struct plain_options *plain = &options->plain;
    bool program = *options->walks.argv;
    if (!program && !plain->n_pids && !plain->all_cpus)
        return err_set(err, ERR_USAGE, "no program to run; see gait record --help");
    if (!strcmp(options->walks.output, "-"))
        return err_set(err, ERR_USAGE,
                       "-o -: a profile is a file that grows, and stdout is the program's");
    if (plain->n_pids && (plain->all_cpus || program))
        return err_set(err, ERR_USAGE,
                       "-p follows processes that run already: neither -a nor a "
                       "program goes with it; --duration SECONDS ends it");
    return true;
}

/* What is meant for walks would be without effect, and silently so. */
static bool plain_complete(struct record_command *options, struct err *err)
{
    const struct recording_options *walks = &options->walks;
    const struct record_options *record = &walks->record;
    struct plain_options *plain = &options->plain;
    const char *idle = *options->for_walks              ? options->for_walks
                       : options->events                ? "--events"
                       : record->mode != RECORD_SAMPLED ? "--exact"
                                                        : NULL;
    if (idle)
        return err_set(err, ERR_USAGE, "%s is for walks, of which --plain, -e and -a have none",
                       idle);
    if (walks->only)
        return err_set(err, ERR_USAGE,
                       "--only is for walks, of which --plain, -e and -a have none");
    plain->argv = walks->argv;
    plain->output = walks->output;
    plain->hz = record->fixed_hz ? record->fixed_hz : PLAIN_HZ;
    plain->delay_ns = record->delay_ns;
    plain->seed = record->seed;
    plain->keep = walks->keep;
    return true;
}

/* A model goes along the whole course: what would be counted on the way is then made of that. */
static bool course_take(struct recording_options *walks, struct err *err)
{
    bool contexts = walks->record.contexts;
    if (!walks->core || walks->record.mode != RECORD_EXACT_COUNTS)
        return true;
    if (walks->path_ticks || walks->record.contexts_max)
        return err_set(err, ERR_USAGE, "%s: not with --core, which has cycles of its own",
                       walks->path_ticks ? "--ticks" : "--max-contexts");
    walks->trace_paths = walks->paths;
    walks->trace_contexts = contexts;
    walks->paths = false;
    walks->record.contexts = 0;
    walks->record.plan_counters = walks->record.covered = 0;
    walks->record.mode = RECORD_EXACT_TRACE;
    return true;
}

/* A model without addresses takes all loads to be hits: they are recorded unless something else is
 * asked for. */
static bool core_complete(struct record_command *options, struct err *err)
{
    if (!options->walks.pairs && (options->walks.tags || options->walks.buffer))
        return err_set(err, ERR_USAGE, "%s goes with --pairs",
                       options->walks.tags ? "--tags" : "--buffer");
    if (!options->walks.core && (options->walks.counters || options->walks.steps))
        return err_set(err, ERR_USAGE, "%s goes with --core",
                       options->walks.counters ? "--counters" : "--steps");
    if (!options->walks.core)
        return !options->walks.pairs ||
               err_set(err, ERR_USAGE, "--pairs goes with --core: it is a model that follows them");
    if (options->walks.record.mode != RECORD_EXACT_TRACE)
        return err_set(err, ERR_USAGE,
                       "--core goes with --exact; sampled recordings are simulated later, by "
                       "gait pipeline --core");
    if (!options->events) {
        options->walks.record.events |= EVENTS_ADDRESS;
        options->walks.for_core = true;
    }
    return true;
}

static bool exact_check(const struct record_command *options, struct err *err)
{
    const struct record_options *record = &options->walks.record;
    if (record->mode == RECORD_SAMPLED)
        return true;
    const char *idle = *options->for_walks ? options->for_walks
                       : record->fixed_hz  ? "-F"
                       : record->delay_ns  ? "-D"
                                           : NULL;
    if (options->events && record->mode != RECORD_EXACT_TRACE)
        return err_set(err, ERR_USAGE, "--events: of exact runs only --exact=trace has any");
    return !idle || err_set(err, ERR_USAGE, "%s is for samples, of which --exact has none", idle);
}

/* Options that one mode alone has a use for. */
static bool mode_check(const struct recording_options *walks, struct err *err)
{
    uint32_t mode = walks->record.mode;
    bool values = walks->record.events & (EVENTS_VALUE | EVENTS_ADDRESS | EVENTS_ARGUMENT);
    if ((walks->plans || walks->dump_plan) && (mode != RECORD_EXACT_COUNTS || !walks->plans))
        return err_set(err, ERR_USAGE, "--plan goes with --exact=counts, --dump-plan with --plan");
    if (walks->value_callers && !values)
        return err_set(err, ERR_USAGE, "--context goes with --events value, argument or address");
    if (walks->dump_stream && mode != RECORD_EXACT_TRACE)
        return err_set(err, ERR_USAGE, "--dump-stream goes with --exact=trace");
    if (walks->dump_skip && !walks->dump_stream)
        return err_set(err, ERR_USAGE, "--dump-skip goes with --dump-stream FILE");
    if (walks->hotlist && (!values || mode != RECORD_SAMPLED || walks->compress))
        return err_set(err, ERR_USAGE,
                       "--hotlist goes with sampled values (--events value, argument or address), "
                       "and not with --compress");
    if (walks->compress && mode != RECORD_SAMPLED)
        return err_set(err, ERR_USAGE, "--compress goes with samples; gait lab compresses traces");
    if (walks->module && mode != RECORD_SAMPLED)
        return err_set(err, ERR_USAGE, "--module goes with samples");
    if (!(walks->record.events & EVENTS_PAGE))
        return true;
    if (mode != RECORD_SAMPLED || walks->compress)
        return err_set(err, ERR_USAGE, "--events page goes with samples, and not with --compress");
    return physical_pages_permitted(err);
}

/* What is asked of whole windows cannot be compressed before they get here: then only values are,
 * and here. */
static bool needs_windows(const struct recording_options *walks)
{
    return (walks->record.events & (EVENTS_ADDRESS | EVENTS_ARGUMENT)) || walks->module ||
           walks->value_callers || walks->dump_events || (walks->only && walks->only->classes);
}

static void compress_complete(struct recording_options *walks)
{
    if (walks->compress && !needs_windows(walks))
        memcpy(walks->record.compress, walks->compress, strlen(walks->compress) + 1);
}

static bool contexts_complete(struct record_command *options, struct err *err)
{
    struct recording_options *walks = &options->walks;
    uint32_t *contexts = &walks->record.contexts;
    if (options->merges_sites && !*contexts)
        return err_set(err, ERR_USAGE, "--merge-sites goes with --exact=contexts");
    if (walks->record.contexts_max && !*contexts)
        return err_set(err, ERR_USAGE, "--max-contexts goes with --exact=contexts");
    if (walks->metric && (!walks->paths || *contexts || walks->core))
        return err_set(err, ERR_USAGE,
                       "--metric goes with --exact=paths, and not with contexts or --core");
    if (walks->path_ticks && !walks->paths && !*contexts)
        return err_set(err, ERR_USAGE, "--ticks goes with --exact=paths and --exact=contexts");
    if (options->merges_sites)
        *contexts |= CONTEXTS_MERGED;
    if (walks->path_ticks && *contexts)
        *contexts |= walks->path_ticks_all ? CONTEXTS_TICKS : CONTEXTS_TICKS_SOME;
    return true;
}

/* Processes and durations are typed alike for both ways of recording. */
static bool processes_complete(struct record_command *options, struct err *err)
{
    struct recording_options *walks = &options->walks;
    const struct plain_options *plain = &options->plain;
    if (plain->n_pids && walks->record.mode != RECORD_SAMPLED)
        return err_set(err, ERR_USAGE,
                       "--exact counts a run from its first instruction on, and -p comes later");
    if (plain->duration_ns && !plain->n_pids)
        return err_set(err, ERR_USAGE, "--duration goes with -p, -a or --plain");
    walks->pids = plain->pids;
    walks->n_pids = plain->n_pids;
    walks->duration_ns = plain->duration_ns;
    return true;
}

static bool walks_complete(struct record_command *options, struct err *err)
{
    struct recording_options *walks = &options->walks;
    if (!course_take(walks, err) || !exact_check(options, err) || !core_complete(options, err) ||
        !mode_check(walks, err))
        return false;
    compress_complete(walks);
    walks->record.tally =
        walks->record.mode == RECORD_SAMPLED && !walks->record.compress[0] && !walks->only;
    if (walks->record.mode == RECORD_SAMPLED)
        walks->record.copies_q8 = copy_cost_measure_q8();
    return contexts_complete(options, err) && processes_complete(options, err);
}

/* Samples of the processor are what perf makes of them: nothing goes with them but a rate. */
static bool branches_complete(struct record_command *options, struct err *err)
{
    const struct recording_options *walks = &options->walks;
    const char *other = options->is_plain                      ? "--plain, -e and -a"
                        : options->plain.n_pids                ? "-p"
                        : options->plain.duration_ns           ? "--duration"
                        : walks->record.mode != RECORD_SAMPLED ? "--exact"
                        : options->events                      ? "--events"
                        : walks->only                          ? "--only"
                        : walks->module                        ? "--module"
                        : walks->compress                      ? "--compress"
                        : *options->for_walks                  ? options->for_walks
                        : walks->record.delay_ns               ? "-D"
                                                               : NULL;
    options->plain.hz = walks->record.fixed_hz ? walks->record.fixed_hz : PLAIN_HZ;
    if (!options->branches || !other)
        return true;
    return err_set(err, ERR_USAGE, "--branches does not go with %s", other);
}

/* -a with what only walks know: of the processes that run now. They share one budget. */
static bool all_choose(struct record_command *options, struct err *err)
{
    struct plain_options *plain = &options->plain;
    if (!plain->all_cpus || !options->events || plain->event)
        return true;
    if (*options->walks.argv)
        return err_set(err, ERR_USAGE,
                       "-a --events records what runs already: no program goes with it; "
                       "--duration SECONDS ends it");
    struct running running = running_find(options->pids, RECORD_PIDS_MAX);
    if (!running.n)
        return err_set(err, ERR_SYSTEM,
                       "-a --events: no process ran for half a second that can be recorded; gait "
                       "doctor says what is permitted");
    if (!options->quiet)
        say("-a --events: user code of the %zu processes that run now, and of those they start; "
            "%zu that cannot be walked are left out; no code of the kernel",
            running.n, running.refused + running.too_many);
    plain->pids = options->pids;
    plain->n_pids = running.n;
    options->walks.any_pids = true;
    plain->all_cpus = options->is_plain = false;
    return true;
}

bool record_complete(struct record_command *options, struct err *err)
{
    return all_choose(options, err) && subject_check(options, err) &&
           branches_complete(options, err) &&
           (options->is_plain ? plain_complete(options, err) : walks_complete(options, err));
}
