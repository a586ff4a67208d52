#include "collect/plain/plain.h"

#include "base/clock.h"
#include "base/err.h"
#include "base/memory.h"
#include "collect/kernel/attach.h"
#include "collect/target/cpu_times.h"
#include "collect/kernel/follow.h"
#include "collect/kernel/wait_pace.h"
#include "collect/kernel/wait_source.h"
#include "collect/target/launch.h"
#include "collect/output/attached.h"
#include "collect/output/output.h"
#include "collect/perf/perf_events.h"
#include "collect/target/vigil.h"
#include "profile/events.h"
#include "profile/file/file.h"
#include "profile/sums.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

/* Reading the kernel's names takes some 50 ms: seldom, but not only at an end that may never come.
 */
static const uint64_t NAMES_NS = 20000000000;
static const uint64_t APPEND_NS = 900000000; /* leaves room to be on the disk within the second */
/* Of CPU time, for stacks of waits. */
enum { WAITS_PPM = 5000 };
static const uint64_t ASK_NS = 100000000; /* how often it is looked who holds locks */
/* Another CPU may still be writing a record of this age. */
static const uint64_t SETTLED_NS = 2000000;

struct run {
    const struct plain_options *options;
    struct plain_recording *plain;
    struct perf_request request;
    struct perf_events events;
    struct follow follow;
    struct wait_pace pace;
    struct profile delta; /* what is new since the last append */
    struct totals told;   /* of what was appended */
    struct output output;
    bool starts; /* a program */
    struct child child;
    struct cpu_times before; /* of the child: when sampling began */
    struct vigil vigil;
    uint64_t began_ns; /* CLOCK_MONOTONIC */
    /* When it is due; NEVER: not (any more). */
    uint64_t append_ns, shift_ns, start_ns, stop_ns, names_ns;
    uint64_t news_ns; /* when the listener was told last */
};
#define NEVER UINT64_MAX

/* ---- before */

static void head_fill(struct run *run)
{
    struct profile *head = &run->delta;
    char rate[32];
    profile_init(head);
    head->mode = PROFILE_PLAIN;
    output_describe(head, run->options->command);
    attached_describe(head, run->options->pids, run->options->n_pids);
    snprintf(rate, sizeof rate, "%u", run->options->hz);
    profile_fact(head, "frequency", rate);
    profile_fact(head, "trigger", run->request.event.text);
    event_name_first(head, run->request.event.text, run->request.clock);
    if (run->request.clock && run->request.tracker.context_switch)
        profile_fact(head, "weights", "measured");
    if (*run->request.refused)
        profile_fact(head, "refused", run->request.refused);
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
    run->follow.awaited = later ? 0 : (uint32_t)pid;
    return true;
}

static bool child_start(struct run *run, struct err *err)
{
    struct launch launch = {.argv = run->options->argv,
                            .stdio = run->options->stdio,
                            .ready = child_ready,
                            .closure = run};
    return launch_start(&launch, &run->child, &run->plain->exec_errno, err);
}

static bool named_before(const struct plain_options *options, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (options->pids[k] == options->pids[i])
            return true;
    return false;
}

static bool processes_follow(struct run *run, struct err *err)
{
    const struct plain_options *options = run->options;
    uint64_t missed = 0;
    bool ok = true;
    for (size_t i = 0; ok && i < options->n_pids; i++)
        ok = named_before(options, i) || vigil_process(&run->vigil, options->pids[i], err);
    for (size_t i = 0; ok && i < options->n_pids; i++)
        ok =
            named_before(options, i) || attach_process(&run->events, &run->follow, options->pids[i],
                                                       run->began_ns, &missed, err);
    sum_add(&run->delta.totals.losses[LOSS_unfollowed], missed);
    return ok;
}

static bool everybody_follow(struct run *run, struct err *err)
{
    return perf_events_follow(&run->events, -1, false, err) == PERF_FOLLOWED;
}

/* What was asked for is there and allowed, and the file is begun. */
static bool prepare(struct run *run, struct err *err)
{
    const struct plain_options *options = run->options;
    struct perf_wish wish = {
        .event = options->event, .hz = options->hz, .all_cpus = options->all_cpus};
    char program[PATH_MAX];
    run->starts = *options->argv;
    if (run->starts &&
        !launch_find_program(options->argv[0], program, &run->plain->exec_errno, err))
        return false;
    run->plain->denied = !perf_request_settle(&run->request, &wish, err);
    run->request.waits &= !options->no_waits;
    if (run->plain->denied || !perf_events_init(&run->events, &run->request, options->seed, err))
        return false;
    head_fill(run);
    follow_init(&run->follow, &run->request, &run->delta);
    follow_stretch(&run->follow, perf_events_pauses(&run->events));
    /* Of what everybody runs, few functions are met. */
    run->follow.processes.files.partial = options->listener || options->all_cpus;
    return options->listener ||
           output_open(&run->output, options->output, &run->delta, &options->keep, err);
}

static bool begin(struct run *run, struct err *err)
{
    run->began_ns = clock_ns(CLOCK_MONOTONIC);
    if (!vigil_init(&run->vigil, run->starts ? &run->child : NULL, err) ||
        (run->options->all_cpus && !everybody_follow(run, err)) || !processes_follow(run, err) ||
        (run->starts && !child_start(run, err))) {
        if (!run->options->listener)
            output_undo(&run->output);
        return false;
    }
    /* Rings must be emptied in time, most of all where everybody wants the CPU; it takes little of
     * it. The program is a process of its own by now and keeps its priority. */
    (void)setpriority(PRIO_PROCESS, 0, run->options->all_cpus ? -20 : -10);
    for (size_t i = 0; i < run->events.cpus.n; i++)
        if (run->events.cpus.at[i].fd >= 0)
            vigil_ring(&run->vigil, run->events.cpus.at[i].fd);
    for (size_t i = 0; run->request.waits && i < run->events.cpus.n; i++)
        if (run->events.cpus.at[i].wait_fd >= 0)
            vigil_ring(&run->vigil, run->events.cpus.at[i].wait_fd);
    for (size_t i = 0; run->options->listener && i < run->options->listener->n_fds; i++)
        vigil_ring(&run->vigil, run->options->listener->fds[i]);
    wait_pace_start(&run->pace, WAITS_PPM, run->began_ns);
    return true;
}

/* ---- while it runs */

static void drain(struct run *run, uint64_t limit_ns)
{
    follow_read(&run->follow, &run->events, limit_ns);
}

static void waits_update(struct run *run, uint64_t now_ns)
{
    const struct waits *waits = &run->follow.waits;
    if (!run->request.waits || !run->events.sampling)
        return;
    wait_pace_update(&run->pace, now_ns, wait_cost_ns(waits->taken, waits->missed),
                     run->told.user_ns + run->told.kernel_ns, now_ns - run->began_ns);
    perf_events_wait(&run->events, run->pace.on);
}

static void give(uint64_t *delta, uint64_t *told, uint64_t now)
{
    if (now > *told)
        sum_add(delta, now - *told);
}

/* Time is known by switches. Where they are not told, or samples cannot divide it, a program that
 * was started is asked what it used. */
static void account_times(struct run *run)
{
    struct totals *delta = &run->delta.totals, *told = &run->told;
    struct cpu_times times;
    if (run->follow.tasks.lives.measured || !run->starts || run->options->all_cpus ||
        !cpu_times_read(&run->child, &times))
        return;
    give(&delta->user_ns, &told->user_ns, times.user_ns - run->before.user_ns);
    give(&delta->kernel_ns, &told->kernel_ns, times.kernel_ns - run->before.kernel_ns);
}

/* How the time of a program that is too short for samples divides. */
static void account_rest(struct run *run)
{
    struct lives *lives = &run->follow.tasks.lives;
    struct cpu_times times;
    if (run->follow.samples.taken || !run->starts || !cpu_times_read(&run->child, &times))
        return;
    lives->rest[0] = times.user_ns;
    lives->rest[1] = times.kernel_ns;
}

static void account(struct run *run, uint64_t now_ns, bool last)
{
    struct totals *delta = &run->delta.totals, *told = &run->told;
    if (last)
        account_rest(run);
    follow_tell(&run->follow, now_ns, last);
    account_times(run);
    uint64_t own = cpu_times_own_ns();
    give(&delta->tool_ns, &told->tool_ns, own);
    give(&delta->once_ns, &told->once_ns,
         last ? own - run->plain->sampled_ns : run->plain->startup_ns);
    sum_add(&told->interrupts, delta->interrupts);
    sum_add(&told->time, delta->time);
    sum_add(&told->user_ns, delta->user_ns);
    sum_add(&told->kernel_ns, delta->kernel_ns);
    sum_add(&told->off_ns, delta->off_ns);
    sum_add(&told->tool_ns, delta->tool_ns);
    sum_add(&told->once_ns, delta->once_ns);
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

static void waits_describe(struct run *run, uint64_t now_ns)
{
    char text[256];
    wait_source_text(text, sizeof text, &run->request, &run->pace, now_ns, run->began_ns);
    if (*text)
        profile_fact(&run->delta, "waits", text);
}

/* Names of the kernel's code are the listener's own: to look up a few takes as long as all. */
static void news_give(struct run *run, uint64_t now_ns, bool last)
{
    const struct plain_listener *listener = run->options->listener;
    uint64_t tool_ns = run->told.tool_ns;
    if (last || now_ns >= run->names_ns) {
        jit_names_tell(&run->follow.samples.jit_names, &run->delta);
        run->names_ns = now_ns + NAMES_NS;
    }
    account(run, now_ns, last);
    struct plain_news about = {.from_ns = run->news_ns,
                               .to_ns = now_ns,
                               .tool_ns = run->told.tool_ns - tool_ns,
                               .last = last};
    run->vigil.ended |= !listener->take(listener->closure, &run->delta, &about);
    run->news_ns = now_ns;
    profile_clear(&run->delta);
    follow_forget(&run->follow);
}

static void append(struct run *run, uint64_t now_ns, bool last)
{
    if (run->options->listener) {
        news_give(run, now_ns, last);
        return;
    }
    if (last)
        waits_describe(run, now_ns);
    if (last || now_ns >= run->names_ns) {
        samples_tell_names(&run->follow.samples, last);
        run->names_ns = now_ns + NAMES_NS;
    }
    account(run, now_ns, last);
    output_append(&run->output, &run->delta, false);
    if (last) { /* only what was appended is known to need a name */
        output_name_jit(&run->output, &run->delta, JIT_DUMPS);
        output_append(&run->output, &run->delta, false);
    }
    follow_forget(&run->follow);
    tell_progress(run, now_ns);
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void sampling_start(struct run *run, uint64_t now_ns)
{
    run->start_ns = NEVER;
    if (!run->events.sampling) {
        attach_start(&run->events, &run->follow, now_ns);
        if (run->starts)
            cpu_times_read(&run->child, &run->before);
    }
    if (run->options->duration_ns)
        run->stop_ns = now_ns + run->options->duration_ns;
}

static uint64_t append_every_ns(const struct run *run)
{
    return run->options->listener ? run->options->listener->every_ns : APPEND_NS;
}

static void keep_time(struct run *run, uint64_t now_ns)
{
    if (now_ns >= run->start_ns)
        sampling_start(run, now_ns);
    if (now_ns >= run->shift_ns)
        run->shift_ns = now_ns + perf_events_shift(&run->events);
    if (now_ns >= run->append_ns) {
        append(run, now_ns, false);
        run->append_ns = now_ns + append_every_ns(run);
    }
}

/* Of some processes it is worth it to find out who holds their locks; of all there are it is not.
 */
static bool asks(const struct run *run)
{
    return run->request.waits && !run->options->all_cpus;
}

static void record(struct run *run)
{
    const struct plain_listener *listener = run->options->listener;
    uint64_t now = clock_ns(CLOCK_MONOTONIC);
    run->append_ns = now + append_every_ns(run);
    run->shift_ns = now;
    run->names_ns = run->options->listener ? now : now + NAMES_NS;
    run->news_ns = now;
    run->start_ns = now + run->options->delay_ns;
    run->stop_ns = NEVER;
    if (run->events.sampling)
        sampling_start(run, run->began_ns);
    while (!run->vigil.ended && now < run->stop_ns) {
        vigil_wait(&run->vigil,
                   earlier(earlier(run->append_ns, run->shift_ns),
                           earlier(earlier(run->start_ns, run->stop_ns),
                                   earlier(run->request.waits ? run->pace.due_ns : NEVER,
                                           asks(run) ? now + ASK_NS : NEVER))));
        now = clock_ns(CLOCK_MONOTONIC);
        drain(run, now - SETTLED_NS);
        if (asks(run))
            waits_ask(&run->follow.waits, now);
        waits_update(run, now);
        if (listener && !run->vigil.ended)
            run->vigil.ended = !listener->wake(listener->closure);
        keep_time(run, now);
    }
    perf_events_stop(&run->events);
    drain(run, UINT64_MAX);
    run->plain->sampled_ns = cpu_times_own_ns() - run->plain->startup_ns;
    append(run, clock_ns(CLOCK_MONOTONIC), true);
}

/* ---- after */

static void conclude(struct run *run)
{
    struct plain_recording *plain = run->plain;
    const struct samples *samples = &run->follow.samples;
    const struct profile *total =
        run->options->listener ? &run->delta : profile_writer_total(run->output.writer);
    plain->totals = run->told;
    plain->pid = run->child.pid;
    if (run->starts && run->child.ended)
        plain->usage = run->child.usage;
    snprintf(plain->event, sizeof plain->event, "%s", run->request.event.text);
    plain->hz = run->options->hz;
    plain->clock = run->request.clock;
    plain->kernel = run->request.kernel;
    plain->n_others = run->follow.n_others;
    for (uint32_t i = 0; i < plain->n_others; i++) {
        snprintf(plain->others[i].event, sizeof plain->others[i].event, "%s",
                 run->request.others[i].event.text);
        plain->others[i].samples = run->follow.others[i].taken;
    }
    plain->user_weight = run->follow.tasks.lives.weight[0];
    plain->kernel_weight = run->follow.tasks.lives.weight[1];
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

/* The program may go on after the recording; its status is waited for, unless a listener wanted no
 * more. */
static void wait_for_child(struct run *run)
{
    run->plain->left = run->options->listener && run->starts && !run->child.ended;
    if (run->plain->left)
        return;
    while (run->starts && !run->child.ended)
        launch_wait(&run->child, 1000000000);
    run->plain->status = run->child.status;
}

static void output_finish(struct run *run)
{
    /* All modules of a machine, to their last line, would take longer than the recording may. */
    struct gather_wish wish = {0};
    uint64_t own_ns = cpu_times_own_ns();
    const uint64_t share = 256;
    run->output.cpu_ns = run->told.user_ns + run->told.kernel_ns;
    if (run->options->all_cpus)
        wish = (struct gather_wish){
            .patience = 1, .lines = 1, .cpu_ns = run->output.cpu_ns / share + 1};
    run->plain->file_bytes = output_close(&run->output, true, wish);
    run->plain->left_out = run->output.left_out;
    run->plain->close_ns = cpu_times_own_ns() - own_ns;
    memcpy(run->plain->write_error, run->output.error, sizeof run->output.error);
}

bool plain_run(const struct plain_options *options, struct plain_recording *ret_plain,
               struct err *err)
{
    struct run *run = mem_alloc(sizeof *run); /* too large for a stack */
    run->options = options;
    run->plain = ret_plain;
    *ret_plain = (struct plain_recording){0};
    bool begun = prepare(run, err) && begin(run, err);
    if (begun) {
        ret_plain->startup_ns = cpu_times_own_ns();
        record(run);
        ret_plain->wall_ns = clock_ns(CLOCK_MONOTONIC) - run->began_ns;
        conclude(run);
        if (!options->listener)
            output_finish(run);
    }
    vigil_release(&run->vigil);
    if (run->follow.profile)
        follow_release(&run->follow);
    perf_events_release(&run->events);
    profile_release(&run->delta);
    if (begun)
        wait_for_child(run);
    mem_free(run);
    return begun;
}
