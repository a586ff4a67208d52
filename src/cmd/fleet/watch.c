/* gait watch: records processes of this machine again and again, and sends what it saw. */
#include "base/clock.h"
#include "base/err.h"
#include "cmd/cmd.h"
#include "cmd/interrupt.h"
#include "cmd/options/flags.h"
#include "fleet/tidy.h"
#include "fleet/watch/choose.h"
#include "fleet/watch/spool_gather.h"
#include "fleet/watch/spool.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct options {
    const char *config;
    uint32_t rounds; /* 0: for ever */
    bool quiet;
};

static const struct flag flags[] = {
    {"config", 0, "FILE", NULL, "what to watch (/etc/gait/watch.conf)",
     TAKE(text, struct options, config)},
    {"rounds", 0, "N", NULL, "end after so many rounds", TAKE(u32, struct options, rounds),
     .low = 1, .expected = "a number of rounds"},
    {"quiet", 'q', NULL, NULL, "say nothing but what goes wrong", TAKE(set, struct options, quiet)},
    {0},
};

static const struct command_line this_command = {
    .usage = "usage: gait watch [--config FILE]\n\nRecords processes of this machine for some "
             "seconds every few minutes, within a budget of all\nits CPU time, and sends the "
             "recordings to a store. gait-watch(1) shows the file that says which.\n",
    .flags = flags,
};

struct watch {
    struct arena arena;
    struct watch_config config;
    struct watch_memory memory;
    struct spool spool;
    struct push_options push;
    uint64_t begun_ns, recordings, dropped;
    double allowed_bytes; /* of what may be sent so far, what was not */
    uint64_t allowed_ns;  /* when that was */
    uint64_t tidied_ns;   /* when the store was, last; 0: not yet */
    uint32_t closed;      /* processes that fit but may not be read, as last said */
    bool quiet, away, thrifty, sparing;
    char refusal[256]; /* the last reason why a process was not recorded */
};

/* ---- the budget */

static double used_s(const struct watch *watch)
{
    struct rusage own, children;
    getrusage(RUSAGE_SELF, &own);
    getrusage(RUSAGE_CHILDREN, &children);
    return (double)(own.ru_utime.tv_sec + own.ru_stime.tv_sec + children.ru_utime.tv_sec +
                    children.ru_stime.tv_sec) +
           1e-6 * (double)(own.ru_utime.tv_usec + own.ru_stime.tv_usec + children.ru_utime.tv_usec +
                           children.ru_stime.tv_usec) +
           1e-9 * (double)watch->spool.agent_ns;
}

/* What was not used of the budget so far. The first round may use what it has earned when it is
 * over. A recording is begun if what it is likely to take fits. */
static bool affordable(struct watch *watch)
{
    const double first_s = 0.05;
    double elapsed = 1e-9 * (double)(clock_ns(CLOCK_MONOTONIC) - watch->begun_ns);
    double cpus = (double)sysconf(_SC_NPROCESSORS_ONLN);
    double earned = watch->config.budget / 100 * cpus * fmax(elapsed, watch->config.every_s);
    double each = watch->recordings ? used_s(watch) / (double)watch->recordings : first_s;
    bool fits = used_s(watch) + each <= earned;
    if (!fits && !watch->thrifty && !watch->quiet)
        say("the budget of %g %% is used up: %.3f s of %.3f s; some processes wait",
            watch->config.budget, used_s(watch), earned);
    watch->thrifty = !fits;
    return fits;
}

/* ---- recording */

static void recorder_exec(const struct watch *watch, const struct watched *process,
                          const char *part, const char *log)
{
    char pid[16], seconds[32];
    snprintf(pid, sizeof pid, "%d", process->pid);
    snprintf(seconds, sizeof seconds, "%.3f", watch->config.seconds);
    const char *arguments[] = {"gait", "record",     "-q",    "-p", pid, "-o",
                               part,   "--duration", seconds, NULL, NULL};
    if (strcmp(watch->config.mode, "plain") == 0)
        arguments[9] = "--plain";
    /* It detaches, and leaves a whole file, when this process is killed. */
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (!freopen("/dev/null", "r", stdin) || !freopen("/dev/null", "w", stdout) ||
        !freopen(log, "w", stderr))
        _exit(EXIT_RECORD_FAILED);
    char *words[sizeof arguments / sizeof *arguments];
    memcpy(words, arguments, sizeof words);
    execv("/proc/self/exe", words);
    _exit(EXIT_RECORD_FAILED);
}

static void refusal_say(struct watch *watch, const struct watched *process, const char *log)
{
    char line[256] = "";
    FILE *from = fopen(log, "re");
    while (from && fgets(line, sizeof line, from) && strncmp(line, "gait: ", 6) != 0)
        continue;
    if (from)
        fclose(from);
    line[strcspn(line, "\n")] = 0;
    if (!*line && kill(process->pid, 0) == 0)
        snprintf(line, sizeof line, "nothing could be written in %s: is the disk full?",
                 watch->spool.folder);
    if (!*line || strcmp(line, watch->refusal) != 0)
        say("%s (%d) was not recorded: %s", process->name, process->pid,
            *line ? line + (strncmp(line, "gait: ", 6) == 0 ? 6 : 0) : "it has ended");
    snprintf(watch->refusal, sizeof watch->refusal, "%s", line);
}

static void record(struct watch *watch, const struct watched *process)
{
    struct arena arena = {0};
    int status;
    char *log = arena_format(&arena, "%s/recorder.log", watch->spool.folder);
    char *part =
        spool_part(&watch->spool, &arena, clock_ns(CLOCK_REALTIME), process->pid, process->service);
    pid_t child = interrupt_fork(false);
    if (child == 0)
        recorder_exec(watch, process, part, log);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    interrupt_forget();
    watch->recordings++;
    watch_recorded(&watch->memory, process);
    if (!spool_finish(&watch->spool, part, process->fresh))
        refusal_say(watch, process, log);
    else if (!watch->quiet)
        say("recorded %s (%d)", process->name, process->pid);
    arena_release(&arena);
}

/* Sums of many hours are hardly larger than those of one, so waiting makes less of what is too
 * much. */
static bool may_send(struct watch *watch)
{
    const double day_ns = (double)DAY_NS, burst = watch->config.send_bytes / 8;
    uint64_t now = clock_ns(CLOCK_MONOTONIC);
    watch->allowed_bytes += watch->config.send_bytes * (double)(now - watch->allowed_ns) / day_ns;
    watch->allowed_bytes = fmin(watch->allowed_bytes, burst);
    watch->allowed_ns = now;
    return watch->allowed_bytes >= 0;
}

/* Of a store in a file, once an hour. */
static void tidy(struct watch *watch)
{
    struct err err;
    uint64_t now = clock_ns(CLOCK_MONOTONIC), hour_ns = 3600000000000u;
    if (watch->tidied_ns && now - watch->tidied_ns < hour_ns)
        return;
    watch->tidied_ns = now;
    if (!store_tidy(watch->config.store, watch->config.store_bytes, &err))
        say("%s", err.text);
}

/* `all`: also recordings of an hour that is not over. */
static void send(struct watch *watch, bool all)
{
    struct err err, away;
    struct push_sums sums = {0};
    bool may = may_send(watch) || all;
    if (!may && watch->spool.gather_ns && !watch->sparing && !watch->quiet)
        say("%.0f KiB a day (send-size) are sent; recordings wait and are added up meanwhile",
            watch->config.send_bytes / 1024);
    watch->sparing = !may;
    if (may && !spool_gather(&watch->spool, clock_ns(CLOCK_REALTIME), all, &err))
        say("%s; recordings wait in %s", err.text, watch->spool.folder);
    bool ok = spool_send(&watch->spool, watch->config.store, &watch->push, &sums, &away);
    watch->allowed_bytes -= (double)sums.bytes;
    if (sums.sent + sums.same && !watch->quiet)
        say("sent %llu recordings, %llu KiB", (unsigned long long)(sums.sent + sums.same),
            (unsigned long long)(sums.bytes + 1023) / 1024);
    if (!ok && !watch->away)
        say("%s; recordings wait in %s", away.text, watch->spool.folder);
    watch->away = !ok;
    if (ok && sums.sent && !all)
        tidy(watch);
    if (watch->spool.dropped != watch->dropped)
        say("%llu recordings were dropped, the oldest first: more than %llu MiB waited",
            (unsigned long long)(watch->spool.dropped - watch->dropped),
            (unsigned long long)watch->spool.bytes_max >> 20);
    watch->dropped = watch->spool.dropped;
}

static void closed_say(struct watch *watch, const struct watch_choice *choice)
{
    if (choice->closed > watch->closed)
        say("%u processes that fit belong to other users and may not be recorded, such as %s (%d) "
            "of "
            "%s: run gait watch as root, or give it CAP_SYS_PTRACE; gait doctor says more",
            choice->closed, choice->closed_first.name, choice->closed_first.pid,
            choice->closed_user);
    watch->closed = choice->closed > watch->closed ? choice->closed : watch->closed;
}

static void round_run(struct watch *watch, bool last)
{
    struct watch_choice choice;
    watch_choose(&watch->config, &watch->memory, &choice);
    closed_say(watch, &choice);
    for (size_t i = 0; i < choice.n && !interrupt_signal() && affordable(watch); i++)
        record(watch, &choice.at[i]);
    watch_choice_release(&choice);
    /* Whoever ends it may end the machine next. */
    send(watch, last || interrupt_signal());
}

/* ---- the command */

static void build_say(const char *service, const char *before, const char *build)
{
    if (before)
        say("%s has another build: %.12s, before %.12s", service, *build ? build : "none",
            *before ? before : "none");
}

static bool watch_open(struct watch *watch, const struct options *options, struct err *err)
{
    *watch = (struct watch){.quiet = options->quiet,
                            .begun_ns = clock_ns(CLOCK_MONOTONIC),
                            .allowed_ns = clock_ns(CLOCK_MONOTONIC)};
    watch_memory_init(&watch->memory);
    watch->spool.lock = -1;
    if (!watch_config_read(&watch->arena, options->config, &watch->config, err) ||
        !spool_open(watch->config.spool, watch->config.spool_bytes, &watch->spool, err))
        return false;
    watch->spool.build_new = options->quiet ? NULL : build_say;
    watch->spool.gather_ns = (uint64_t)(watch->config.send_s * 1e9);
    watch->spool.compact = !watch->config.whole;
    watch->dropped = watch->spool.dropped;
    watch->allowed_bytes = watch->config.send_bytes / 8;
    watch->push = (struct push_options){.machine = watch->config.machine,
                                        .values = watch->config.values,
                                        .compact = !watch->config.whole,
                                        .unfinished = true}; /* its recorder has ended */
    return true;
}

static void watch_close(struct watch *watch)
{
    spool_close(&watch->spool);
    watch_memory_release(&watch->memory);
    vec_release(&watch->config.rules);
    arena_release(&watch->arena);
}

static void rest(uint64_t until_ns)
{
    struct timespec until = {.tv_sec = (time_t)(until_ns / 1000000000u),
                             .tv_nsec = (long)(until_ns % 1000000000u)};
    while (!interrupt_signal() &&
           clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
        continue;
}

int cmd_watch(int argc, char **argv)
{
    struct options options = {.config = "/etc/gait/watch.conf"};
    struct err err;
    struct watch watch;
    if (!flags_parse(&this_command, &options, argc, argv, &err))
        return say_err(&err);
    if (optind < argc) {
        err_set(&err, ERR_USAGE, "%s: watch takes no arguments", argv[optind]);
        return say_err(&err);
    }
    if (!watch_open(&watch, &options, &err)) {
        watch_close(&watch);
        return say_err(&err);
    }
    interrupts_catch();
    uint64_t every_ns = (uint64_t)(watch.config.every_s * 1e9);
    for (uint32_t round = 1; !interrupt_signal(); round++) {
        round_run(&watch, round == options.rounds);
        if (round == options.rounds || interrupt_signal())
            break;
        rest(watch.begun_ns + round * every_ns);
        if (interrupt_signal())
            send(&watch, true);
    }
    watch_close(&watch);
    return EXIT_DONE;
}
