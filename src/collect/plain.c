#include "collect/plain.h"

#include "base/err.h"
#include "collect/follow.h"
#include "collect/launch.h"
#include "collect/output.h"
#include "collect/perf_events.h"
#include "collect/proc.h"
#include "profile/file.h"
#include "profile/sums.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const uint64_t APPEND_NS = 900000000; /* leaves room to be on the disk within the second */
/* Another CPU may still be writing a record of this age. */
static const uint64_t SETTLED_NS = 2000000;

struct run {
    const struct plain_options *options;
    struct plain *plain;
    struct perf_request request;
    struct perf_events events;
    struct follow follow;
    struct profile delta; /* what is new since the last append */
    struct totals told;   /* of what was appended */
    struct output output;
    struct child child; /* pid 0: none was started */
    struct plain_polls {
        VEC(struct pollfd);
    } polls;          /* signals first, then rings, then processes */
    size_t processes; /* of polls: that are still there */
    bool ending;
    uint64_t began_ns;                   /* CLOCK_MONOTONIC */
    uint64_t append_ns, shift_ns, on_ns; /* when it is due; on_ns: the first sample, or 0 */
};

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t timeval_ns(struct timeval time)
{
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_usec * 1000u;
}

/* ---- before */

static void head_fill(struct run *run)
{
    struct profile *head = &run->delta;
    char rate[32];
    profile_init(head);
    head->mode = PROFILE_PLAIN;
    output_describe(head, run->options->command);
    snprintf(rate, sizeof rate, "%u", run->options->hz);
    profile_fact(head, "frequency", rate);
    profile_fact(head, "trigger", run->request.event.text);
    if (!run->request.clock)
        profile_fact(head, "event", run->request.event.text);
}

/* Samples start by themselves when the program does, unless they shall come later. */
static bool child_ready(void *closure, pid_t pid, struct err *err)
{
    struct run *run = closure;
    bool later = run->options->delay_ns;
    if (run->options->all_cpus)
        return true;
    if (perf_events_follow(&run->events, pid, !later, err) != PERF_FOLLOWED)
        return false;
    run->events.sampling = !later;
    return true;
}

static bool child_start(struct run *run, struct err *err)
{
    struct launch launch = {.argv = run->options->argv, .ready = child_ready, .closure = run};
    return launch_start(&launch, &run->child, &run->plain->exec_errno, err);
}

static bool begin(struct run *run, struct err *err)
{
    const struct plain_options *options = run->options;
    struct perf_wish wish = {options->event, options->hz, options->all_cpus};
    bool starts = *options->argv;
    if ((starts && !launch_find_program(options->argv[0], &run->plain->exec_errno, err)) ||
        !perf_request_settle(&run->request, &wish, err) ||
        !perf_events_init(&run->events, &run->request, options->seed, err))
        return false;
    head_fill(run);
    follow_init(&run->follow, &run->request, &run->delta);
    run->follow.samples.stretch = perf_events_pauses(&run->events);
    if (!output_open(&run->output, options->output, &run->delta, err))
        return false;
    run->began_ns = clock_ns(CLOCK_MONOTONIC);
    if (!starts || options->all_cpus)
        err_set(err, ERR_USAGE, "-p and -a are not there yet");
    else if (child_start(run, err))
        return true;
    output_undo(&run->output);
    return false;
}

static void poll_add(struct run *run, int fd)
{
    *vec_push(&run->polls) = (struct pollfd){.fd = fd, .events = POLLIN};
}

static void polls_fill(struct run *run)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    poll_add(run, signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
    for (size_t i = 0; i < run->events.cpus.n; i++)
        poll_add(run, run->events.cpus.at[i].fd);
}

/* ---- while it runs */

static void drain(struct run *run, uint64_t limit_ns)
{
    const struct perf_event_header *record;
    perf_events_refresh(&run->events, limit_ns);
    while ((record = perf_events_next(&run->events)))
        follow_take(&run->follow, record);
    perf_events_publish(&run->events);
}

static void give(uint64_t *delta, uint64_t *told, uint64_t now)
{
    if (now > *told)
        sum_add(delta, now - *told);
}

static void account(struct run *run, uint64_t now_ns, bool last)
{
    struct totals *delta = &run->delta.totals, *told = &run->told;
    tasks_tell(&run->follow.tasks, now_ns, last);
    if (run->child.ended) {
        give(&delta->user_ns, &told->user_ns, timeval_ns(run->child.usage.ru_utime));
        give(&delta->kernel_ns, &told->kernel_ns, timeval_ns(run->child.usage.ru_stime));
    }
    give(&delta->tool_ns, &told->tool_ns, clock_ns(CLOCK_PROCESS_CPUTIME_ID));
    sum_add(&told->interrupts, delta->interrupts);
    sum_add(&told->time, delta->time);
    sum_add(&told->user_ns, delta->user_ns);
    sum_add(&told->kernel_ns, delta->kernel_ns);
    sum_add(&told->off_ns, delta->off_ns);
    sum_add(&told->tool_ns, delta->tool_ns);
    for (int i = 0; i < LOSS_N; i++)
        sum_add(&told->losses[i], delta->losses[i]);
}

static void tell_progress(const struct run *run, uint64_t now_ns)
{
    struct plain_progress progress = {.elapsed_ns = now_ns - run->began_ns,
                                      .samples = run->follow.samples.taken,
                                      .lost = run->told.losses[LOSS_sample_lost],
                                      .file_bytes = output_bytes(&run->output)};
    if (run->options->progress)
        run->options->progress(&progress);
}

static void append(struct run *run, uint64_t now_ns, bool last)
{
    account(run, now_ns, last);
    output_append(&run->output, &run->delta);
    tell_progress(run, now_ns);
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void wait_until(struct run *run, uint64_t due_ns)
{
    uint64_t now = clock_ns(CLOCK_MONOTONIC), ns = due_ns > now ? due_ns - now : 0;
    struct timespec timeout = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
    struct plain_polls *polls = &run->polls;
    if (ppoll(polls->at, polls->n, &timeout, NULL) <= 0)
        return;
    if (polls->at[0].revents)
        launch_wait(&run->child, 0);
    /* A thread's own ring has nobody to fill it once the thread and all it started are gone. */
    for (size_t i = 1; i < polls->n; i++)
        if (polls->at[i].revents & (POLLHUP | POLLERR))
            polls->at[i].fd = -1;
}

static void keep_time(struct run *run, uint64_t now_ns)
{
    if (run->on_ns && now_ns >= run->on_ns) {
        run->on_ns = 0;
        run->follow.tasks.began_ns = now_ns;
        perf_events_start(&run->events);
    }
    if (now_ns >= run->shift_ns)
        run->shift_ns = now_ns + perf_events_shift(&run->events);
    if (now_ns >= run->append_ns) {
        append(run, now_ns, false);
        run->append_ns = now_ns + APPEND_NS;
    }
}

static void record(struct run *run)
{
    uint64_t now = clock_ns(CLOCK_MONOTONIC);
    run->append_ns = now + APPEND_NS;
    run->shift_ns = now;
    if (run->events.sampling)
        run->follow.tasks.began_ns = run->began_ns;
    else
        run->on_ns = now + run->options->delay_ns;
    while (!run->child.ended) {
        wait_until(run, earlier(earlier(run->append_ns, run->shift_ns),
                                run->on_ns ? run->on_ns : UINT64_MAX));
        now = clock_ns(CLOCK_MONOTONIC);
        drain(run, now - SETTLED_NS);
        keep_time(run, now);
    }
    perf_events_stop(&run->events);
    drain(run, UINT64_MAX);
    append(run, clock_ns(CLOCK_MONOTONIC), true);
}

/* ---- after */

static void conclude(struct run *run)
{
    struct plain *plain = run->plain;
    const struct samples *samples = &run->follow.samples;
    const struct profile *total = profile_writer_total(run->output.writer);
    plain->status = run->child.status;
    plain->totals = run->told;
    snprintf(plain->event, sizeof plain->event, "%s", run->request.event.text);
    plain->hz = run->options->hz;
    plain->clock = run->request.clock;
    plain->kernel = run->request.kernel;
    plain->user_weight = samples->user_weight;
    plain->kernel_weight = samples->kernel_weight;
    plain->in_kernel = samples->in_kernel;
    memcpy(plain->ends, samples->ends, sizeof plain->ends);
    memcpy(plain->fallbacks, samples->fallbacks, sizeof plain->fallbacks);
    plain->processes = run->follow.processes.seen;
    plain->threads = (uint32_t)run->follow.tasks.n;
    plain->modules = (uint32_t)total->modules.n;
    plain->nodes = total->stacks.nodes.n;
    plain->ring_bytes = run->events.ring_bytes;
    plain->ring_wanted = run->events.ring_wanted;
    plain->stack_bytes = run->request.sampler.sample_stack_user;
    snprintf(plain->refused, sizeof plain->refused, "%s", run->request.refused);
}

bool plain_run(const struct plain_options *options, struct plain *ret_plain, struct err *err)
{
    struct run run = {.options = options, .plain = ret_plain};
    *ret_plain = (struct plain){0};
    bool begun = begin(&run, err);
    if (begun) {
        ret_plain->startup_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
        polls_fill(&run);
        record(&run);
        ret_plain->wall_ns = clock_ns(CLOCK_MONOTONIC) - run.began_ns;
        conclude(&run);
        ret_plain->file_bytes = output_close(&run.output);
        memcpy(ret_plain->write_error, run.output.error, sizeof run.output.error);
        close(run.polls.at[0].fd);
        vec_release(&run.polls);
    }
    if (run.follow.profile)
        follow_release(&run.follow);
    perf_events_release(&run.events);
    profile_release(&run.delta);
    return begun;
}
