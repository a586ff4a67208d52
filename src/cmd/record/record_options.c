#include "cmd/record/record_options.h"

#include "base/err.h"
#include "cmd/options/flags.h"
#include "cmd/record/record_complete.h"
#include "collect/exact/path_plans.h"
#include "collect/perf/perf_counter.h"

#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

static const struct record_options defaults = {.mode = RECORD_SAMPLED,
                                               .trigger = TRIGGER_AUTO,
                                               .overhead_ppm = 10000,
                                               .events = EVENTS_EDGE | EVENTS_CALL | EVENTS_STACK};

/* ---- options that only walks have a use for */

static bool take_walks_u32(void *to, const struct flag *flag, const char *value, struct err *err)
{
    struct record_command *options = to;
    flag_shown(flag, options->for_walks);
    return take_u32(to, flag, value, err);
}

static bool take_overhead(void *to, const struct flag *flag, const char *value, struct err *err)
{
    struct record_command *options = to;
    double percent;
    (void)err;
    flag_shown(flag, options->for_walks);
    if (!flag_number(flag, value, &percent))
        return false;
    options->walks.record.overhead_ppm = (uint32_t)(percent * 1e4 + 0.5);
    return true;
}

static bool take_no_kernel(void *to, const struct flag *flag, const char *value, struct err *err)
{
    struct record_command *options = to;
    (void)value, (void)err;
    flag_shown(flag, options->for_walks);
    return options->walks.no_kernel = true;
}

static bool take_trigger(void *to, const struct flag *flag, const char *value, struct err *err)
{
    static const uint32_t triggers[] = {TRIGGER_PERF, TRIGGER_CPUTIME, TRIGGER_AUTO};
    struct record_command *options = to;
    int place = flag_word(flag, value);
    (void)err;
    flag_shown(flag, options->for_walks);
    if (place >= 0)
        options->walks.record.trigger = triggers[place];
    return place >= 0;
}

/* ---- exact runs */

static bool exact_parse(const char *text, struct recording_options *walks)
{
    uint32_t *ret_mode = &walks->record.mode;
    bool both = text && !strcmp(text, "paths+contexts");
    if (both || (text && !strcmp(text, "paths"))) {
        *ret_mode = RECORD_EXACT_COUNTS;
        walks->paths = true;
        walks->record.plan_counters = PATH_COUNTERS_MAX;
        walks->record.covered = 1;
        walks->record.contexts = both ? CONTEXTS_COUNTS | CONTEXTS_PATHS : 0;
        return true;
    }
    if (text && !strcmp(text, "contexts")) {
        *ret_mode = RECORD_EXACT_COUNTS;
        walks->record.contexts = CONTEXTS_COUNTS;
        return true;
    }
    if (!text || !strcmp(text, "counts")) {
        *ret_mode = RECORD_EXACT_COUNTS;
        return true;
    }
    walks->loops = !strcmp(text, "trace+loops");
    bool all = !strcmp(text, "trace+paths+contexts");
    walks->trace_paths = all || !strcmp(text, "trace+paths");
    walks->trace_contexts = all || !strcmp(text, "trace+contexts");
    if (!strcmp(text, "trace") || walks->loops || walks->trace_paths || walks->trace_contexts) {
        *ret_mode = RECORD_EXACT_TRACE;
        return true;
    }
    if (!strcmp(text, "none")) { /* for bench/copies alone */
        *ret_mode = RECORD_EXACT_NONE;
        return true;
    }
    return false;
}

static bool take_exact(void *to, const struct flag *flag, const char *value, struct err *err)
{
    struct record_command *options = to;
    bool single = value && !strcmp(value, "single"); /* for tests/truth/volume.sh */
    (void)flag, (void)err;
    options->walks.record.single = single;
    return exact_parse(single ? "counts" : value, &options->walks);
}

static bool take_ticks(void *to, const struct flag *flag, const char *value, struct err *err)
{
    struct recording_options *walks = &((struct record_command *)to)->walks;
    (void)flag, (void)err;
    walks->path_ticks = true;
    walks->path_ticks_all = value && !strcmp(value, "all");
    return !value || walks->path_ticks_all;
}

static bool take_metric(void *to, const struct flag *flag, const char *value, struct err *err)
{
    struct recording_options *walks = &((struct record_command *)to)->walks;
    struct perf_event_name event = {0};
    (void)flag;
    bool faults = !strcmp(value, "faults");
    if (!faults && !perf_name_parse(value, &event, err))
        return false;
    walks->metric = value;
    walks->path_ticks = walks->path_ticks_all = true;
    walks->record.event_clock = faults ? EVENT_CLOCK_FAULTS : EVENT_CLOCK_PERF;
    walks->record.event_type = event.type;
    walks->record.event_config = event.config;
    walks->record.event_config1 = event.config1;
    walks->record.event_config2 = event.config2;
    return faults || perf_counter_try(&event, err);
}

static bool take_core(void *to, const struct flag *flag, const char *value, struct err *err)
{
    struct record_command *options = to;
    (void)flag;
    if (!model_open(value, &options->core, err))
        return false;
    options->walks.core = &options->core;
    return true;
}

static bool take_steps(void *to, const struct flag *flag, const char *value, struct err *err)
{
    struct record_command *options = to;
    char *end;
    (void)flag, (void)err;
    options->walks.steps = strtoull(value, &end, 10);
    return options->walks.steps && !*end && *value != '-';
}

static bool take_plan(void *to, const struct flag *flag, const char *value, struct err *err)
{
    struct record_command *options = to;
    (void)flag;
    if (!plans_open(&options->plans, value, err))
        return false;
    options->walks.plans = &options->plans;
    options->walks.record.plan_counters = options->plans.counters;
    return true;
}

/* ---- what is recorded */

/* Words with commas between; given again, it adds to them. Edges and calls are what walks are made
 * of: they cannot be left out. */
static bool take_events(void *to, const struct flag *flag, const char *text, struct err *err)
{
    static const struct {
        const char *name;
        uint32_t bit;
    } events[] = {{"edge", EVENTS_EDGE},         {"call", EVENTS_CALL},
                  {"address", EVENTS_ADDRESS},   {"value", EVENTS_VALUE},
                  {"latency", EVENTS_LATENCY},   {"stack", EVENTS_STACK},
                  {"argument", EVENTS_ARGUMENT}, {"page", EVENTS_PAGE | EVENTS_ADDRESS}};
    struct record_command *options = to;
    uint32_t bits = EVENTS_EDGE | EVENTS_CALL;
    (void)flag, (void)err;
    for (const char *at = text;; at++) {
        size_t n = strcspn(at, ","), i = 0;
        while (i < sizeof events / sizeof *events &&
               (strlen(events[i].name) != n || strncmp(at, events[i].name, n)))
            i++;
        if (i == sizeof events / sizeof *events)
            return false;
        bits |= events[i].bit;
        at += n;
        if (!*at)
            break;
    }
    if (options->events)
        bits |= options->walks.record.events;
    options->walks.record.events = bits;
    return options->events = true;
}

static bool take_hotlist(void *to, const struct flag *flag, const char *value, struct err *err)
{
    int place = flag_word(flag, value);
    (void)err;
    ((struct record_command *)to)->walks.hotlist = (uint32_t)(place + 1);
    return place >= 0;
}

static bool take_compress(void *to, const struct flag *flag, const char *text, struct err *err)
{
    struct record_command *options = to;
    struct recording_options *walks = &options->walks;
    size_t at = 0;
    (void)flag;
    if (strlen(text) >= sizeof walks->record.compress)
        return err_set(err, ERR_USAGE, "--compress: no design is as long as that");
    const char *wrong = design_parse(&options->design, text, &at);
    walks->compress = text;
    walks->design = &options->design;
    return !wrong || err_set(err, ERR_USAGE, "--compress %s: at '%s': %s", text, text + at, wrong);
}

/* May be given several times. */
static bool take_only(void *to, const struct flag *flag, const char *text, struct err *err)
{
    struct record_command *options = to;
    struct recording_options *walks = &options->walks;
    (void)flag;
    walks->only = &options->only;
    walks->record.events &= ~(uint32_t)EVENTS_STACK; /* callers may be outside of it */
    walks->only_text = walks->only_text
                           ? arena_format(&options->only.arena, "%s,%s", walks->only_text, text)
                           : text;
    return selection_parse(&options->only, text, err);
}

/* ---- when, and of what */

static bool take_delay(void *to, const struct flag *flag, const char *value, struct err *err)
{
    double ms;
    (void)err;
    if (!flag_number(flag, value, &ms))
        return false;
    ((struct record_command *)to)->walks.record.delay_ns = (uint64_t)(ms * 1e6);
    return true;
}

static bool take_duration(void *to, const struct flag *flag, const char *value, struct err *err)
{
    double seconds;
    (void)err;
    if (!flag_number(flag, value, &seconds))
        return false;
    ((struct record_command *)to)->plain.duration_ns = (uint64_t)(seconds * 1e9);
    return true;
}

static bool take_seed(void *to, const struct flag *flag, const char *value, struct err *err)
{
    char *end;
    (void)flag, (void)err;
    ((struct record_command *)to)->walks.record.seed = strtoull(value, &end, 0);
    return end != value && !*end;
}

static bool take_pids(void *to, const struct flag *flag, const char *text, struct err *err)
{
    struct record_command *options = to;
    struct plain_options *plain = &options->plain;
    (void)flag;
    for (const char *at = text; *at;) {
        char *end;
        long pid = strtol(at, &end, 10);
        if (end == at || pid <= 0 || pid > INT_MAX || (*end && *end != ','))
            return false;
        if (plain->n_pids == RECORD_PIDS_MAX)
            return err_set(err, ERR_USAGE, "-p: more than %d processes", RECORD_PIDS_MAX);
        options->pids[plain->n_pids++] = (int)pid;
        at = *end ? end + 1 : end;
    }
    plain->pids = options->pids;
    return plain->n_pids;
}

/* May be given several times, as perf takes it. */
static bool take_event(void *to, const struct flag *flag, const char *value, struct err *err)
{
    struct record_command *options = to;
    const char *earlier = options->plain.event;
    (void)flag, (void)err;
    options->is_plain = true;
    options->plain.event = earlier ? arena_format(&options->texts, "%s,%s", earlier, value) : value;
    return true;
}

static bool take_branches(void *to, const struct flag *flag, const char *value, struct err *err)
{
    struct record_command *options = to;
    int place = flag_word(flag, value);
    (void)err;
    if (place >= 0)
        options->branches = (enum record_branches_how)place;
    else if (strcmp(value, "none") == 0)
        options->branches = BRANCHES_BARE;
    return place >= 0 || options->branches == BRANCHES_BARE;
}

static bool take_all(void *to, const struct flag *flag, const char *value, struct err *err)
{
    struct record_command *options = to;
    options->is_plain = true;
    return take_set(to, flag, value, err);
}

/* ---- the table */

#define TO(kind, member) TAKE(kind, struct record_command, member)
#define EXACT(word, text)                                                                          \
    {                                                                                              \
        "exact", 0, "=" word, NULL, text, .take = take_exact, .expected = exacts                   \
    }

static const char exacts[] = "counts, paths, contexts, paths+contexts, trace, trace+loops, "
                             "trace+paths, trace+contexts or trace+paths+contexts";

static const struct flag flags[] = {
    {"output", 'o', "FILE", NULL, "the profile (gait.data); an existing one is moved to FILE.old",
     TO(text, walks.output)},
    {"overhead", 0, "PCT", NULL, "CPU time that recording may cost (1%)", .take = take_overhead,
     .low = 0.001, .high = 1000},
    {"frequency", 'F', "HZ", NULL, "samples per CPU second, whatever they cost",
     TO(u32, walks.record.fixed_hz), .low = 1, .high = 100000},
    {"window", 0, "N", NULL, "instructions recorded per sample", TO(walks_u32, walks.record.window),
     .low = 1, .high = 1 << 20},
    {"trail", 0, "N", NULL, "instructions to run and time after each window",
     TO(walks_u32, walks.record.trail), .high = 1 << 24},
    {"trigger", 0, "KIND", "perf, cputime or auto", ": what interrupts the program (auto)",
     .take = take_trigger},
    {"branches", 0, "HOW", "walks, lbr or auto",
     ": record branches by walking, by the processor's own records (LBR), or by these where it has "
     "them (walks)",
     .take = take_branches},
    EXACT("counts", "no samples: count every instruction and edge of the run"),
    EXACT("paths", "count the paths through functions (gait paths)"),
    {"ticks", 0, "[=all]", NULL, "also measure their time: some executions, or all",
     .take = take_ticks, .expected = "all, or nothing"},
    {"metric", 0, "EVENT", NULL,
     "with --exact=paths: count EVENT along paths, not time: faults, or an event of the processor",
     .take = take_metric},
    EXACT("contexts", "count calls in each calling context (gait contexts)"),
    EXACT("paths+contexts", "both: paths in each calling context (gait paths --contexts)"),
    {"max-contexts", 0, "N", NULL, "contexts per thread at most; further calls are only counted",
     TO(u32, walks.record.contexts_max), .low = 1, .high = 1 << 21},
    {"merge-sites", 0, NULL, NULL, "calls from several places of a function are one context",
     TO(set, merges_sites)},
    EXACT("trace", "the same counts, from a checked trace of the whole run"),
    EXACT("trace+paths", "the same, and the paths along the trace"),
    EXACT("trace+contexts", "the same, and the contexts along the trace"),
    EXACT("trace+paths+contexts", "both, and the paths in each context"),
    EXACT("trace+loops", "the same, and the length of every run of every loop"),
    {"core", 0, "NAME", NULL, "with --exact: simulate the run on a core model (gait pipeline)",
     .take = take_core},
    {"pairs", 0, "N", NULL,
     "with --core: of every N instructions follow two together (gait pipeline --metric)",
     TO(u32, walks.pairs), .low = 2, .high = UINT32_MAX},
    {"tags", 0, "N", NULL, "with --pairs: tags that instructions can have at once (1024)",
     TO(u32, walks.tags), .low = 2, .high = 1024},
    {"buffer", 0, "N", NULL, "with --pairs: pairs that wait for one interrupt (16)",
     TO(u32, walks.buffer), .low = 1, .high = 1 << 16},
    {"counters", 0, "N", NULL,
     "with --core: sample the model's event counters every N events (gait report --event)",
     TO(u32, walks.counters), .low = 100, .high = UINT32_MAX},
    {"steps", 0, "N", NULL, "with --core: kill the program after N instructions",
     .take = take_steps, .low = 1, .expected = "a number"},
    {"events", 0, "LIST", NULL,
     "what to record: edge,call,stack, and address, value, argument, latency, page",
     .take = take_events,
     .expected = "edge, call, address, value, argument, latency or stack, with commas between"},
    {"context", 0, NULL, NULL, "keep values separately for each caller",
     TO(set, walks.value_callers)},
    {"hotlist", 0, "KIND", "concise, counting or space-saving",
     ": keep the values of each place in a list of constant size", .take = take_hotlist},
    {"compress", 0, "DESIGN", NULL, "compress what is recorded: R256, H[P256]2048, T2[256]2048x2",
     .take = take_compress},
    {"module", 0, "X.so", NULL, "load a customisation module; gait values shows its results",
     TO(text, walks.module)},
    {"only", 0, "SPEC", NULL,
     "keep these functions, modules, address ranges or classes of instructions and nothing else: "
     "GLOB, MODULE+0xA-0xB, or load, store, branch, call, return, div, string, vector, float; "
     "several separated by commas",
     .take = take_only},
    {"delay", 'D', "MS", NULL, "CPU time before the first sample; with --plain elapsed time",
     .take = take_delay, .high = 1e9},
    {"pid", 'p', "PID[,PID...]", NULL, "record running processes, until they end or Ctrl-C",
     .take = take_pids, .expected = "process ids, with commas between"},
    {"duration", 0, "S", NULL, "stop after S seconds; with -p, -a or --plain",
     .take = take_duration, .low = 0.001, .high = 1e9},
    {"seed", 0, "N", NULL, "seed of the random numbers that spread the samples", .take = take_seed,
     .expected = "a number"},
    {"no-kernel", 0, NULL, NULL,
     "no samples of the kernel beside the agent's: neither kernel frames nor time off the CPU",
     .take = take_no_kernel},
    {"names", 0, NULL, NULL,
     "keep all lines and inlined functions of what ran, however long reading them takes",
     TO(set, walks.keep.all)},
    {"sources", 0, NULL, NULL, "the same, and the texts of their source files",
     TO(set, walks.keep.sources)},
    {"no-names", 0, NULL, NULL,
     "keep nothing of the files that ran: views need them, and their debug information",
     TO(set, walks.keep.none)},
    {"view", 0, NULL, NULL, "then show the profile in the browser; see gait view", TO(set, view)},
    {"quiet", 'q', NULL, NULL, "print nothing", TO(set, quiet)},
    {"verbose", 'v', NULL, NULL, "print more", TO(set, verbose)},
    {"", 0, NULL, NULL,
     "\nSamples of the kernel instead of walks (-F 997 by default):", .take = NULL},
    {"plain", 0, NULL, NULL, "samples with call stacks; works for every program",
     TO(set, is_plain)},
    {"event", 'e', "EVENT[,...]", NULL,
     "sample by these events, not by CPU time (gait report --event); see gait list",
     .take = take_event},
    {"all-cpus", 'a', NULL, NULL, "record all CPUs and everything that runs on them",
     TO(all, plain.all_cpus)},
    /* For tests, until views and paths use what is behind them. */
    {"dump-stream", 0, "FILE", NULL, NULL, TO(text, walks.dump_stream)},
    {"dump-skip", 0, "N", NULL, NULL, TO(u32, walks.dump_skip), .high = UINT32_MAX},
    {"dump-events", 0, "FILE", NULL, NULL, TO(text, walks.dump_events)},
    {"plan", 0, "FILE", NULL, NULL, .take = take_plan},
    {"dump-plan", 0, "FILE", NULL, NULL, TO(text, walks.dump_plan)},
    {0},
};

static const struct command_line this_command = {
    .usage = "usage: gait record [options] [--] PROGRAM [ARGUMENT...]\n       gait record "
             "[options] -p PID[,PID...]\n       gait record -a [options] [[--] PROGRAM "
             "[ARGUMENT...]]\n\nRuns the program, or attaches to running processes, and writes a "
             "profile. A summary goes to\nstderr.\n",
    .flags = flags,
    .below = "The exit status is the program's own; a signal that ended it is raised again.\n"
             "125: gait failed; 126: not executable; 127: not found.\n",
    .before = true,
};

bool record_parse(struct record_command *options, int argc, char **argv, struct err *err)
{
    *options = (struct record_command){.walks = {.output = "gait.data", .record = defaults}};
    if (getrandom(&options->walks.record.seed, sizeof(uint64_t), 0) != sizeof(uint64_t))
        options->walks.record.seed = 1;
    if (!flags_parse(&this_command, options, argc, argv, err))
        return false;
    options->walks.argv = argv + optind;
    return record_complete(options, err);
}
