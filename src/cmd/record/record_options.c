#include "cmd/record/record_options.h"

#include "base/err.h"
#include "cmd/record/record_complete.h"
#include "collect/exact/path_plans.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

static const char usage[] =
    "usage: gait record [options] [--] PROGRAM [ARGUMENT...]\n"
    "       gait record [options] -p PID[,PID...]\n"
    "       gait record -a [options] [[--] PROGRAM [ARGUMENT...]]\n"
    "\n"
    "Runs the program, or attaches to processes that run already, and writes what was\n"
    "seen to a profile; summary on stderr.\n"
    "\n"
    "  -o FILE            the profile (gait.data); an existing one is moved to FILE.old\n"
    "  --overhead PCT     CPU time that recording may cost (1%)\n"
    "  -F HZ              take so many samples per CPU second, whatever they cost\n"
    "  --window N         instructions recorded per sample\n"
    "  --trail N          instructions run and timed behind each window\n"
    "  --trigger KIND     perf, cputime or auto: what interrupts the program (auto)\n"
    "  --exact=counts     no samples: count every instruction and edge of the run\n"
    "  --exact=paths      ways through functions: how often each was gone (gait paths)\n"
    "  --ticks[=all]      and how many ticks that took: measured now and then, or each time\n"
    "  --exact=contexts   who called whom, how often: calling contexts (gait contexts)\n"
    "  --exact=paths+contexts  both: paths in each calling context (gait paths --contexts)\n"
    "  --max-contexts N   of each thread; calls beyond are only counted\n"
    "  --merge-sites      calls from several places of a function are one context\n"
    "  --exact=trace      the same, from the whole course of the program, checked\n"
    "  --exact=trace+paths  the same, and paths as --exact=paths must count them\n"
    "  --exact=trace+contexts  the same, and contexts as --exact=contexts must count them\n"
    "  --exact=trace+loops  the same, and how long every run of every loop was\n"
    "  --core NAME        with --exact: the whole course through a model of a core (gait "
    "pipeline)\n"
    "  --pairs N          with --core: of every N instructions two are followed together (gait "
    "pipeline\n"
    "                     --metric)\n"
    "  --events LIST      what windows record: edge,call, and address, value, latency\n"
    "  --context          values by who called, as far as windows saw the call\n"
    "  --compress DESIGN  values by way of a compressor: R256, H[P256]2048, T2[256]2048x2\n"
    "  --module X.so      what this module makes of events; gait values shows it\n"
    "  --only SPEC        keep these functions, modules, address ranges or sorts of instructions\n"
    "                     and nothing else: GLOB, MODULE+0xA-0xB, or load, store, branch, call,\n"
    "                     return, div, string, vector, float; several with commas between\n"
    "  -D MS              CPU time before the first sample; with --plain elapsed time\n"
    "  -p PID[,PID...]    processes that run already, until they end or Ctrl-C\n"
    "  --duration S       stop after so many seconds; with -p, -a or --plain\n"
    "  --seed N           of the random numbers that spread the samples\n"
    "  -q, -v             say nothing; say more\n"
    "\n"
    "Without walks, by the kernel's samples alone (-F 997 by default):\n"
    "  --plain            samples with call stacks; works for every program\n"
    "  -e EVENT           sample by this event, not by CPU time; see gait list\n"
    "  -a                 all CPUs and whatever runs on them\n"
    "\n"
    "The exit status is the program's own; a signal that ended it is raised again.\n"
    "125: gait failed; 126: not executable; 127: not found.\n";

static const struct record_options defaults = {.mode = RECORD_SAMPLED,
                                               .trigger = TRIGGER_AUTO,
                                               .overhead_ppm = 10000,
                                               .events = EVENTS_EDGE | EVENTS_CALL | EVENTS_STACK};

enum {
    OPTION_OVERHEAD = 256,
    OPTION_WINDOW,
    OPTION_TRAIL,
    OPTION_TRIGGER,
    OPTION_EXACT,
    OPTION_TICKS,
    OPTION_MAX_CONTEXTS,
    OPTION_MERGE_SITES,
    OPTION_SEED,
    OPTION_PLAIN,
    OPTION_DURATION,
    OPTION_ONLY,
    OPTION_EVENTS,
    OPTION_CORE,
    OPTION_PAIRS,
    OPTION_CONTEXT,
    OPTION_COMPRESS,
    OPTION_MODULE,
    OPTION_DUMP_STREAM,
    OPTION_DUMP_EVENTS,
    OPTION_PLAN, /* these three: for tests, until views and paths use what is behind them */
    OPTION_DUMP_PLAN,
};

static const struct option long_options[] = {
    {"output", required_argument, NULL, 'o'},
    {"overhead", required_argument, NULL, OPTION_OVERHEAD},
    {"frequency", required_argument, NULL, 'F'},
    {"window", required_argument, NULL, OPTION_WINDOW},
    {"trail", required_argument, NULL, OPTION_TRAIL},
    {"trigger", required_argument, NULL, OPTION_TRIGGER},
    {"exact", optional_argument, NULL, OPTION_EXACT},
    {"seed", required_argument, NULL, OPTION_SEED},
    {"delay", required_argument, NULL, 'D'},
    {"quiet", no_argument, NULL, 'q'},
    {"verbose", no_argument, NULL, 'v'},
    {"help", no_argument, NULL, 'h'},
    {"events", required_argument, NULL, OPTION_EVENTS},
    {"core", required_argument, NULL, OPTION_CORE},
    {"pairs", required_argument, NULL, OPTION_PAIRS},
    {"context", no_argument, NULL, OPTION_CONTEXT},
    {"compress", required_argument, NULL, OPTION_COMPRESS},
    {"dump-stream", required_argument, NULL, OPTION_DUMP_STREAM},
    {"dump-events", required_argument, NULL, OPTION_DUMP_EVENTS},
    {"plan", required_argument, NULL, OPTION_PLAN},
    {"ticks", optional_argument, NULL, OPTION_TICKS},
    {"max-contexts", required_argument, NULL, OPTION_MAX_CONTEXTS},
    {"merge-sites", no_argument, NULL, OPTION_MERGE_SITES},
    {"dump-plan", required_argument, NULL, OPTION_DUMP_PLAN},
    {"only", required_argument, NULL, OPTION_ONLY},
    {"plain", no_argument, NULL, OPTION_PLAIN},
    {"duration", required_argument, NULL, OPTION_DURATION},
    {"module", required_argument, NULL, OPTION_MODULE},
    {"pid", required_argument, NULL, 'p'},
    {"event", required_argument, NULL, 'e'},
    {"all-cpus", no_argument, NULL, 'a'},
    {NULL, 0, NULL, 0},
};

static bool parse_number(const char *what, const char *text, double low, double high, double *ret,
                         struct err *err)
{
    char *end;
    errno = 0;
    double value = strtod(text, &end);
    bool percent = *end == '%' && !strcmp(what, "--overhead");
    if (end == text || end[percent] || errno || !(value >= low && value <= high))
        return err_set(err, ERR_USAGE, "%s %s: expected a number from %.12g to %.12g", what, text,
                       low, high);
    *ret = value;
    return true;
}

static bool parse_u32(const char *what, const char *text, uint32_t low, uint32_t high,
                      uint32_t *ret, struct err *err)
{
    double value;
    if (!parse_number(what, text, low, high, &value, err))
        return false;
    *ret = (uint32_t)value;
    return true;
}

static bool parse_trigger(const char *text, uint32_t *ret, struct err *err)
{
    static const char *const names[] = {
        [TRIGGER_AUTO] = "auto", [TRIGGER_PERF] = "perf", [TRIGGER_CPUTIME] = "cputime"};
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(text, names[i])) {
            *ret = i;
            return true;
        }
    return err_set(err, ERR_USAGE, "--trigger %s: expected perf, cputime or auto", text);
}

static bool parse_exact(const char *text, struct recording_options *walks, struct err *err)
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
    walks->trace_paths = !strcmp(text, "trace+paths");
    walks->trace_contexts = !strcmp(text, "trace+contexts");
    if (!strcmp(text, "trace") || walks->loops || walks->trace_paths || walks->trace_contexts) {
        *ret_mode = RECORD_EXACT_TRACE;
        return true;
    }
    if (!strcmp(text, "none")) { /* for bench/copies alone */
        *ret_mode = RECORD_EXACT_NONE;
        return true;
    }
    return err_set(
        err, ERR_USAGE,
        "--exact=%s: expected counts, paths, contexts, paths+contexts, trace, trace+loops, "
        "trace+paths or trace+contexts",
        text);
}

/* Words with commas between. Edges and calls are what walks are made of: they cannot be left out.
 */
static bool parse_events(const char *text, uint32_t *ret, struct err *err)
{
    static const struct {
        const char *name;
        uint32_t bit;
    } events[] = {{"edge", EVENTS_EDGE},   {"call", EVENTS_CALL},       {"address", EVENTS_ADDRESS},
                  {"value", EVENTS_VALUE}, {"latency", EVENTS_LATENCY}, {"stack", EVENTS_STACK}};
    *ret = EVENTS_EDGE | EVENTS_CALL;
    for (const char *at = text;; at++) {
        size_t n = strcspn(at, ","), i = 0;
        while (i < sizeof events / sizeof *events &&
               (strlen(events[i].name) != n || strncmp(at, events[i].name, n)))
            i++;
        if (i == sizeof events / sizeof *events)
            return err_set(
                err, ERR_USAGE,
                "--events %s: expected edge, call, address, value, latency or stack, with "
                "commas between",
                text);
        *ret |= events[i].bit;
        at += n;
        if (!*at)
            return true;
    }
}

static bool parse_compress(struct record *options, const char *text, struct err *err)
{
    struct recording_options *walks = &options->walks;
    size_t at = 0;
    if (strlen(text) >= sizeof walks->record.compress)
        return err_set(err, ERR_USAGE, "--compress: no design is as long as that");
    const char *wrong = design_parse(&options->design, text, &at);
    walks->compress = text;
    walks->design = &options->design;
    return !wrong || err_set(err, ERR_USAGE, "--compress %s: at '%s': %s", text, text + at, wrong);
}

static bool parse_seed(const char *text, uint64_t *ret, struct err *err)
{
    char *end;
    *ret = strtoull(text, &end, 0);
    return (end != text && !*end) || err_set(err, ERR_USAGE, "--seed %s: not a number", text);
}

static bool parse_pids(char *text, struct record *options, struct err *err)
{
    struct plain_options *plain = &options->plain;
    for (const char *at = text; *at;) {
        char *end;
        long pid = strtol(at, &end, 10);
        if (end == at || pid <= 0 || pid > INT_MAX || (*end && *end != ','))
            return err_set(err, ERR_USAGE, "-p %s: expected process ids, with commas between",
                           text);
        if (plain->n_pids == RECORD_PIDS_MAX)
            return err_set(err, ERR_USAGE, "-p: more than %d processes", RECORD_PIDS_MAX);
        options->pids[plain->n_pids++] = (int)pid;
        at = *end ? end + 1 : end;
    }
    plain->pids = options->pids;
    return plain->n_pids || err_set(err, ERR_USAGE, "-p: no process");
}

/* May be given several times. */
static bool parse_only(struct record *options, const char *text, struct err *err)
{
    struct recording_options *walks = &options->walks;
    walks->only = &options->only;
    walks->record.events &= ~(uint32_t)EVENTS_STACK; /* callers may be outside of it */
    walks->only_text = walks->only_text
                           ? arena_format(&options->only.arena, "%s,%s", walks->only_text, text)
                           : text;
    return selection_parse(&options->only, text, err);
}

static bool parse_option(struct record *options, int option, struct err *err)
{
    struct record_options *record = &options->walks.record;
    struct plain_options *plain = &options->plain;
    double value;
    switch (option) {
    case 'o': options->walks.output = optarg; return true;
    case 'q': options->quiet = true; return true;
    case 'v': options->verbose = true; return true;
    case 'F': return parse_u32("-F", optarg, 1, 100000, &record->fixed_hz, err);
    case 'D':
        if (!parse_number("-D", optarg, 0, 1e9, &value, err))
            return false;
        record->delay_ns = (uint64_t)(value * 1e6);
        return true;
    case OPTION_OVERHEAD:
        if (!parse_number("--overhead", optarg, 0.001, 1000, &value, err))
            return false;
        record->overhead_ppm = (uint32_t)(value * 1e4 + 0.5);
        return true;
    case OPTION_WINDOW: return parse_u32("--window", optarg, 1, 1 << 20, &record->window, err);
    case OPTION_TRAIL: return parse_u32("--trail", optarg, 0, 1 << 24, &record->trail, err);
    case OPTION_TRIGGER: return parse_trigger(optarg, &record->trigger, err);
    case OPTION_EXACT:
        record->single = optarg && !strcmp(optarg, "single");
        return parse_exact(record->single ? "counts" : optarg, &options->walks,
                           err); /* for tests/truth/volume.sh */
    case OPTION_MERGE_SITES: options->merges_sites = true; return true;
    case OPTION_TICKS:
        options->walks.path_ticks = true;
        options->walks.path_ticks_all = optarg && !strcmp(optarg, "all");
        return !optarg || options->walks.path_ticks_all ||
               err_set(err, ERR_USAGE, "--ticks=%s: all, or nothing", optarg);
    case OPTION_MAX_CONTEXTS:
        return parse_u32("--max-contexts", optarg, 1, 1 << 21, &record->contexts_max, err);
    case OPTION_CONTEXT: options->walks.value_callers = true; return true;
    case OPTION_MODULE: options->walks.module = optarg; return true;
    case OPTION_DUMP_STREAM: options->walks.dump_stream = optarg; return true;
    case OPTION_COMPRESS: return parse_compress(options, optarg, err);
    case OPTION_EVENTS: options->events = true; return parse_events(optarg, &record->events, err);
    case OPTION_CORE:
        if (!model_open(optarg, &options->core, err))
            return false;
        options->walks.core = &options->core;
        return true;
    case OPTION_PAIRS:
        return parse_u32("--pairs", optarg, 2, UINT32_MAX, &options->walks.pairs, err);
    case OPTION_PLAN:
        if (!plans_open(&options->plans, optarg, err))
            return false;
        options->walks.plans = &options->plans;
        record->plan_counters = options->plans.counters;
        return true;
    case OPTION_DUMP_PLAN: options->walks.dump_plan = optarg; return true;
    case OPTION_DUMP_EVENTS: options->walks.dump_events = optarg; return true;
    case OPTION_SEED: return parse_seed(optarg, &record->seed, err);
    case OPTION_ONLY: return parse_only(options, optarg, err);
    case OPTION_PLAIN: options->is_plain = true; return true;
    case OPTION_DURATION:
        if (!parse_number("--duration", optarg, 0.001, 1e9, &value, err))
            return false;
        plain->duration_ns = (uint64_t)(value * 1e9);
        return true;
    case 'e':
        plain->event = optarg;
        options->is_plain = true;
        return true;
    case 'a': plain->all_cpus = options->is_plain = true; return true;
    case 'p': return parse_pids(optarg, options, err);
    case ':': return err_set(err, ERR_USAGE, "an option lacks its value; see gait record --help");
    default: return err_set(err, ERR_USAGE, "unknown option; see gait record --help");
    }
}

/* Options that say how walks are taken, by how they are typed; NULL: another. */
static const char *walk_option(int option)
{
    switch (option) {
    case OPTION_OVERHEAD: return "--overhead";
    case OPTION_WINDOW: return "--window";
    case OPTION_TRAIL: return "--trail";
    case OPTION_TRIGGER: return "--trigger";
    default: return NULL;
    }
}

bool record_parse(struct record *options, int argc, char **argv, struct err *err)
{
    *options = (struct record){.walks = {.output = "gait.data", .record = defaults}};
    if (getrandom(&options->walks.record.seed, sizeof(uint64_t), 0) != sizeof(uint64_t))
        options->walks.record.seed = 1;
    opterr = 0;
    int option;
    while ((option = getopt_long(argc, argv, "+:o:F:D:qvhap:e:", long_options, NULL)) != -1) {
        if (walk_option(option))
            options->for_walks = walk_option(option);
        if (option == 'h')
            options->help = true;
        else if (!parse_option(options, option, err))
            return option == '?' && optind <= argc ? err_in(err, "%s", argv[optind - 1]) : false;
    }
    options->walks.argv = argv + optind;
    return options->help || record_complete(options, err);
}

const char *record_usage(void)
{
    return usage;
}
