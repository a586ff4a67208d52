/* gait record: runs a program and writes its profile. */
#include "base/err.h"
#include "base/memory.h"
#include "cmd/cmd.h"
#include "base/quote.h"
#include "cmd/summary.h"
#include "collect/recording.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/wait.h>

static const char usage[] =
    "usage: gait record [options] [--] PROGRAM [ARGUMENT...]\n"
    "\n"
    "Runs the program and writes what was seen to a profile; summary on stderr.\n"
    "\n"
    "  -o FILE            the profile (gait.data); an existing one is moved to FILE.old\n"
    "  --overhead PCT     CPU time that recording may cost (1%)\n"
    "  -F HZ              take so many samples per CPU second, whatever they cost\n"
    "  --window N         instructions recorded per sample\n"
    "  --trail N          instructions run and timed behind each window\n"
    "  --trigger KIND     perf, cputime or auto: what interrupts the program (auto)\n"
    "  --exact=counts     no samples: count every instruction and edge of the run\n"
    "  -D MS              CPU time before the first sample\n"
    "  -q, -v             say nothing; say more\n"
    "\n"
    "The exit status is the program's own; a signal that ended it is raised again.\n"
    "125: gait failed; 126: not executable; 127: not found.\n";

struct options {
    struct recording_options recording;
    bool quiet, verbose;
};

enum {
    OPTION_OVERHEAD = 256,
    OPTION_WINDOW,
    OPTION_TRAIL,
    OPTION_TRIGGER,
    OPTION_EXACT,
    OPTION_SEED,
    OPTION_LATER, /* in the contract, not there yet */
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
    {"events", required_argument, NULL, OPTION_LATER},
    {"only", required_argument, NULL, OPTION_LATER},
    {"plain", no_argument, NULL, OPTION_LATER},
    {"duration", required_argument, NULL, OPTION_LATER},
    {"compress", required_argument, NULL, OPTION_LATER},
    {"module", required_argument, NULL, OPTION_LATER},
    {"pid", required_argument, NULL, OPTION_LATER},
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
        return err_set(err, ERR_USAGE, "%s %s: expected a number from %g to %g", what, text, low,
                       high);
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

static bool parse_exact(const char *text, uint32_t *ret_mode, struct err *err)
{
    static const char *const later[] = {"paths", "contexts", "paths+contexts", "trace"};
    if (!text || !strcmp(text, "counts")) {
        *ret_mode = RECORD_EXACT_COUNTS;
        return true;
    }
    for (size_t i = 0; i < sizeof later / sizeof *later; i++)
        if (!strcmp(text, later[i]))
            return err_set(err, ERR_USAGE, "--exact=%s is not there yet; --exact=counts is", text);
    return err_set(err, ERR_USAGE, "--exact=%s: expected counts", text);
}

static bool parse_seed(const char *text, uint64_t *ret, struct err *err)
{
    char *end;
    *ret = strtoull(text, &end, 0);
    return (end != text && !*end) || err_set(err, ERR_USAGE, "--seed %s: not a number", text);
}

/* `index` is that of long_options, where the option was a long one. */
static bool parse_option(struct options *options, int option, int index, struct err *err)
{
    struct record_options *record = &options->recording.record;
    double value;
    switch (option) {
    case 'o': options->recording.output = optarg; return true;
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
    case OPTION_EXACT: return parse_exact(optarg, &record->mode, err);
    case OPTION_SEED: return parse_seed(optarg, &record->seed, err);
    case OPTION_LATER:
        return err_set(err, ERR_USAGE, "--%s is not there yet", long_options[index].name);
    case 'a':
    case 'p':
    case 'e': return err_set(err, ERR_USAGE, "-%c is not there yet", option);
    case ':': return err_set(err, ERR_USAGE, "an option lacks its value; see gait record --help");
    default: return err_set(err, ERR_USAGE, "unknown option; see gait record --help");
    }
}

static bool parse(struct options *options, int argc, char **argv, bool *ret_help, struct err *err)
{
    *options = (struct options){
        .recording = {
            .output = "gait.data",
            .record = {.mode = RECORD_SAMPLED, .trigger = TRIGGER_AUTO, .overhead_ppm = 10000}}};
    if (getrandom(&options->recording.record.seed, sizeof(uint64_t), 0) != sizeof(uint64_t))
        options->recording.record.seed = 1;
    *ret_help = false;
    opterr = 0;
    int option, index = 0;
    while ((option = getopt_long(argc, argv, "+:o:F:D:qvhap:e:", long_options, &index)) != -1) {
        if (option == 'h')
            *ret_help = true;
        else if (!parse_option(options, option, index, err))
            return option == '?' && optind <= argc ? err_in(err, "%s", argv[optind - 1]) : false;
    }
    if (!argv[optind] && !*ret_help)
        return err_set(err, ERR_USAGE, "no program to run; see gait record --help");
    options->recording.argv = argv + optind;
    return true;
}

/* Ends as the program ended. Its core, if any, is the one to keep. */
static int end_as(int status)
{
    if (!WIFSIGNALED(status))
        return WEXITSTATUS(status);
    int number = WTERMSIG(status);
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    struct sigaction plain = {.sa_handler = SIG_DFL};
    sigaction(number, &plain, NULL);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    fflush(NULL);
    raise(number);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    return 128 + number;
}

static int not_started(int exec_errno, const struct err *err)
{
    say("%s", err->text);
    if (!exec_errno)
        return EXIT_RECORD_FAILED;
    return exec_errno == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}

int cmd_record(int argc, char **argv)
{
    struct options options;
    struct err err;
    bool help;
    if (!parse(&options, argc, argv, &help, &err)) {
        say("%s", err.text);
        return EXIT_RECORD_FAILED;
    }
    if (help) {
        fputs(usage, stdout);
        return EXIT_DONE;
    }
    struct arena arena = {0};
    struct recording recording;
    options.recording.command = quote_words(&arena, options.recording.argv);
    bool started = recording_run(&options.recording, &recording, &err);
    arena_release(&arena);
    if (!started)
        return not_started(recording.exec_errno, &err);
    if (!options.quiet)
        summary_print(&options.recording, &recording, options.verbose);
    if (*recording.write_error) {
        say("the profile could not be written: %s", recording.write_error);
        return EXIT_RECORD_FAILED;
    }
    return end_as(recording.status);
}
