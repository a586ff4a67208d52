/* gait top: what runs now, on the whole machine or in one process. */
#include "base/err.h"
#include "base/memory.h"
#include "base/quote.h"
#include "cmd/cmd.h"
#include "cmd/ending.h"
#include "cmd/options/flags.h"
#include "cmd/top/top_subject.h"
#include "cmd/top/top_view.h"
#include "collect/plain/plain.h"
#include "collect/plain/plain_rate.h"

#include <fcntl.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <unistd.h>

enum { TEXT_ROWS = 20 };

struct options {
    struct top_subject subject; /* of what */
    enum live_by by;
    double delay, span, overhead;
    uint32_t hz, batch, limit;
    bool once, json;
    enum top_color { TOP_AUTO, TOP_ALWAYS, TOP_NEVER } color;
    const char *output, *log;
    char *const *argv;
};

static bool take_pids(void *to, const struct flag *flag, const char *text, struct err *err)
{
    (void)flag;
    return top_subject_pids(&((struct options *)to)->subject, text, err);
}

#define TO(kind, member) TAKE(kind, struct options, member)

static const struct flag flags[] = {
    {"pid", 'p', "PID[,PID...]", NULL, "these processes, and what they start", .take = take_pids,
     .expected = "process ids, with commas between"},
    {"all-cpus", 'a', NULL, NULL, "the whole machine (the default, where it is permitted)",
     TO(set, subject.all_cpus)},
    {"by", 0, "KEY", "function, process, thread or module", ": what rows are of (function)",
     TO(word, by)},
    {"delay", 'd', "S", NULL, "seconds between two pictures (2)", TO(number, delay), .low = 0.1,
     .high = 3600, .expected = "seconds, from 0.1 to 3600"},
    {"span", 0, "S", NULL, "how many of the last seconds a picture is about (10)", TO(number, span),
     .low = 0.1, .high = 3600, .expected = "seconds, from 0.1 to 3600"},
    {"overhead", 0, "PCT", NULL, "CPU time that it may cost (1%)", TO(number, overhead),
     .low = 0.01, .high = 100, .expected = "a percentage from 0.01 to 100"},
    {"frequency", 'F', "HZ", NULL, "samples per CPU second, whatever they cost", TO(u32, hz),
     .low = 1, .high = 100000},
    {"once", 0, NULL, NULL, "print one picture, of the first seconds, and end", TO(set, once)},
    {"batch", 0, "N", NULL, "print N pictures, one after the other, and end", TO(u32, batch),
     .low = 1, .expected = "a number of pictures"},
    {"limit", 0, "N", NULL, "number of rows that are printed (20; with --json all)", TO(u32, limit),
     .low = 1, .expected = "a number of rows"},
    {"json", 0, NULL, NULL, "pictures as JSON, schema gait/top/1", TO(set, json)},
    {"output", 'o', "FILE", NULL, "print pictures there, not on the screen", TO(text, output)},
    {"log", 0, "FILE", NULL, "what a program prints while the screen is used (/dev/null)",
     TO(text, log)},
    {"color", 0, "WHEN", "auto, always or never", " (auto: on a terminal, unless NO_COLOR is set)",
     TO(word, color)},
    {0},
};

static const struct command_line this_command = {
    .usage = "usage: gait top [options]\n       gait top [options] -p PID[,PID...]\n       gait "
             "top [options] [--] PROGRAM [ARGUMENT...]\n\nShows what runs now: functions, "
             "processes, threads or modules, in user mode and in the\nkernel. h lists the keys. "
             "Where stdout is no terminal, it prints one picture after the other.\n",
    .flags = flags,
    .before = true,
};

/* ---- pictures */

struct top {
    const struct options *options;
    struct top_view view;
    struct ink ink;
    FILE *to;      /* where pictures are printed; NULL: the screen */
    uint32_t left; /* pictures; 0: no end */
    bool failed;   /* to print */
};

/* Of the terminal that pictures are printed to; 0: it is none. */
static int columns_of(FILE *to)
{
    struct winsize size;
    int fd = fileno(to);
    return isatty(fd) && ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

static void picture_print(struct top *top)
{
    const struct options *options = top->options;
    struct top_view *view = &top->view;
    view->about.columns = columns_of(top->to);
    size_t limit = options->limit ? options->limit : options->json ? SIZE_MAX : TEXT_ROWS;
    top_view_refresh(view);
    if (options->json) {
        live_json(top->to, &view->live, &view->rows, &view->queries[0], &view->about, limit);
    } else {
        live_head_text(top->to, &view->live, &view->about);
        fputc('\n', top->to);
        live_rows_text(top->to, &view->live, &view->rows, &view->queries[0], &view->about, 0,
                       limit);
        fputc('\n', top->to);
    }
    top->failed |= fflush(top->to) != 0;
}

static bool news_take(void *closure, const struct profile *news, const struct plain_news *about)
{
    struct top *top = closure;
    if (top->view.paused)
        return true;
    bool ends = about->last || top->left == 1;
    live_add(&top->view.live, news, about->from_ns, about->to_ns, about->tool_ns, ends);
    if (!top->to) {
        top_view_refresh(&top->view);
        if (!about->last)
            top_view_draw(&top->view);
        return true;
    }
    if (about->last && !top->left && top->view.live.slices.n > 1)
        return true; /* a piece of a picture */
    picture_print(top);
    return !top->failed && (!top->left || --top->left);
}

static bool screen_wake(void *closure)
{
    struct top *top = closure;
    struct top_view *view = &top->view;
    if (top->to)
        return true;
    bool changed = screen_resized(&view->screen), goes_on = true;
    for (int key; goes_on && (key = screen_key(&view->screen)) != KEY_NONE; changed = true)
        goes_on = top_view_key(view, key);
    if (changed && goes_on)
        top_view_draw(view);
    return goes_on;
}

/* ---- the recording */

/* Where the screen is used, a program that is started must neither read its keys nor write over
 * it. */
static bool stdio_open(const struct options *options, int stdio[3], struct err *err)
{
    const char *log = options->log ? options->log : "/dev/null";
    stdio[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
    stdio[1] = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    stdio[2] = stdio[1];
    if (stdio[0] < 0 || stdio[1] < 0)
        return err_errno(err, "cannot open %s", stdio[0] < 0 ? "/dev/null" : log);
    if (isatty(STDERR_FILENO))
        return true;
    stdio[2] = STDERR_FILENO;
    return true;
}

static int record(struct top *top, struct plain_options *plain, struct err *err)
{
    struct screen *screen = &top->view.screen;
    int fds[2], stdio[3];
    struct plain_listener listener = {.every_ns = (uint64_t)(top->options->delay * 1e9),
                                      .fds = fds,
                                      .take = news_take,
                                      .wake = screen_wake,
                                      .closure = top};
    struct plain_recording recording;
    plain->listener = &listener;
    if (!top->to && *plain->argv) {
        if (!stdio_open(top->options, stdio, err))
            return say_err(err);
        plain->stdio = stdio;
    }
    if (!top->to && screen_begin(screen)) {
        fds[0] = STDIN_FILENO;
        fds[1] = screen->resized_fd;
        listener.n_fds = 2;
        top_view_draw(&top->view);
    }
    bool begun = plain_run(plain, &recording, err);
    screen_end(screen);
    if (!begun)
        return *plain->argv ? end_not_started(recording.exec_errno, err) : say_err(err);
    if (recording.left)
        say("%s goes on (process %d)", plain->argv[0], (int)recording.pid);
    return *plain->argv && !recording.left ? end_as(recording.status) : EXIT_DONE;
}

static int run(struct top *top, const struct options *options)
{
    struct plain_rate rate;
    struct err err;
    struct plain_options plain = {.argv = options->argv, .no_waits = true};
    struct top_subject subject = options->subject;
    struct arena arena = {0};
    if (!top_subject_settle(&subject, options->argv, &arena,
                            (uint32_t)(options->overhead * 1e4 + 0.5), &rate, &err)) {
        arena_release(&arena);
        return say_err(&err);
    }
    plain.command = quote_words(&arena, options->argv);
    plain.hz = options->hz ? options->hz : rate.hz;
    plain.all_cpus = subject.all_cpus;
    plain.pids = subject.pids;
    plain.n_pids = subject.n_pids;
    if (getrandom(&plain.seed, sizeof plain.seed, 0) < 0)
        plain.seed = 1;
    top->view.about = (struct live_about){.subject = subject.text,
                                          .record = subject.record,
                                          .refused = rate.refused,
                                          .cpus = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN),
                                          .hz = plain.hz,
                                          .sample_ns = rate.sample_ns,
                                          .all_cpus = subject.all_cpus,
                                          .ink = &top->ink};
    int status = record(top, &plain, &err);
    arena_release(&arena);
    return status;
}

static bool output_open(struct top *top, const struct options *options, struct err *err)
{
    bool batch = options->once || options->batch || options->json || options->output;
    bool terminal = isatty(STDOUT_FILENO) && isatty(STDIN_FILENO);
    if (options->output)
        top->to = fopen(options->output, "we");
    else if (batch || !terminal)
        top->to = *options->argv ? stderr : stdout; /* stdout is a program's own */
    top->left = options->once ? 1 : options->batch;
    return !options->output || top->to || err_errno(err, "cannot write %s", options->output);
}

static struct ink ink_choose(const struct options *options, FILE *to)
{
    const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");
    bool can = isatty(to ? fileno(to) : STDOUT_FILENO) && !(no_color && *no_color) && terminal &&
               strcmp(terminal, "dumb") != 0;
    return (struct ink){.on = options->color == TOP_ALWAYS || (options->color == TOP_AUTO && can)};
}

int cmd_top(int argc, char **argv)
{
    struct options options = {.delay = 2, .span = 10, .overhead = 1};
    struct err err;
    if (!flags_parse(&this_command, &options, argc, argv, &err))
        return say_err(&err);
    options.argv = argv + optind;
    if (!top_subject_check(&options.subject, options.argv, &err))
        return say_err(&err);
    struct top *top = mem_alloc(sizeof *top);
    top->options = &options;
    if (!output_open(top, &options, &err)) {
        mem_free(top);
        return say_err(&err);
    }
    top->ink = ink_choose(&options, top->to);
    top_view_init(&top->view, (uint64_t)(options.span * 1e9), true, options.by);
    int status = run(top, &options);
    if (top->failed) {
        say("cannot write all of %s", options.output ? options.output : "the pictures");
        status = EXIT_FAILED;
    }
    top_view_release(&top->view);
    mem_free(top);
    return status;
}
