#include "collect/recording.h"

#include "base/clock.h"
#include "base/err.h"
#include "base/memory.h"
#include "collect/drain.h"
#include "collect/exact/path_plans.h"
#include "collect/exact/plans.h"
#include "collect/kernel_part.h"
#include "collect/modules/module_host.h"
#include "collect/recording_facts.h"
#include "collect/stacks/walk_stacks.h"
#include "values/payload_dump.h"
#include "consumers/stream_dump.h"
#include "collect/target/loadable.h"
#include "collect/output/output.h"
#include "collect/channel/share.h"
#include "collect/target/target.h"
#include "collect/totals.h"
#include "process/mapped_files.h"
#include "profile/file/file.h"
#include "profile/sums.h"
#include "values/latency_scale.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    TRACE_NS = 5000000,
    READ_NS = 50000000,
    REST_NS = 1000000000,
    TRACE_PAUSE_NS = 100000,
    PLANS_NS = 2000000,
    ASKS_NS = 4000000, /* who has asked for a plan asks again soon */
    ASKS_PAUSE_NS = 20000,
    CROWD_NS = 30000000,  /* a shell starts up to a thousand processes a second */
    ALONE_NS = 125000000, /* what has started no process for a second seldom begins with many */
};
static const uint64_t START_NS = 10000000;   /* that a runtime takes to begin, at most */
static const uint64_t APPEND_NS = 900000000; /* leaves room to be on the disk within the second */

struct run {
    const struct recording_options *options;
    struct recording *recording;
    struct recording_session session;
    struct share share;
    struct profile delta; /* what is new since the last append */
    struct totals told;   /* of it: what was appended */
    struct output output;
    struct recording_target target;
    struct drain drain;
    struct kernel_part kernel;
    struct mapped_files files;
    struct walk_stacks stacks;
    uint32_t appends;
    struct payload_dump dump;
    struct latency_scale scale;
    struct module_host module;
    struct stream_dump stream_dump;
    struct path_plans paths;
    bool described;
    uint64_t due_ns;        /* when the next append is */
    uint64_t ended_ns;      /* when the program had ended */
    char program[PATH_MAX]; /* its file */
};

/* ---- before the program runs */

static bool results_open(struct run *run, struct err *err)
{
    const struct recording_options *options = run->options;
    struct keep_wish keep = options->keep;
    keep.no_paths = options->record.mode != RECORD_SAMPLED && !options->paths &&
                    !options->trace_paths && !options->record.contexts;
    return output_open(&run->output, options->output, &run->delta, &keep, err);
}

static bool start(struct run *run, struct err *err)
{
    char library[PATH_MAX];
    if (!launch_find_library(library, sizeof library, err) ||
        !launch_find_program(run->options->argv[0], run->program, &run->recording->exec_errno,
                             err) ||
        !results_open(run, err))
        return false;
    profile_writer_attach(run->output.writer, &run->delta);
    struct launch launch = {
        .argv = run->options->argv, .library = library, .channel_fd = run->share.fd};
    if (run->kernel.on) {
        launch.ready = kernel_part_ready;
        launch.closure = &run->kernel;
    }
    bool sampled = run->options->record.mode == RECORD_SAMPLED;
    enum target_way way = !loadable_is_static(run->program) ? TARGET_LOADS
                          : sampled                         ? TARGET_SAMPLED
                                                            : TARGET_EXACT;
    if (target_start(&run->target, &launch, way, &run->recording->exec_errno, err))
        return true;
    output_undo(&run->output);
    return false;
}

static bool attach(struct run *run, struct err *err)
{
    const struct recording_options *options = run->options;
    if (!results_open(run, err))
        return false;
    profile_writer_attach(run->output.writer, &run->delta);
    if (target_attach(&run->target, options->pids, options->n_pids, options->any_pids,
                      run->share.fd, err)) {
        kernel_part_attach(&run->kernel, options->pids, options->n_pids);
        return true;
    }
    output_undo(&run->output);
    return false;
}

/* Adding up appends takes milliseconds, and so does writing the sum. A program that was sampled is
 * not to be kept waiting for what views can do. */
static bool rewrites(const struct run *run)
{
    return run->options->record.mode != RECORD_SAMPLED;
}

/* ---- while it runs */

/* What batches added up to: the profile forgets it when it is stored. */
static void batches_note(struct run *run)
{
    const struct totals *delta = &run->delta.totals;
    sum_add(&run->told.batches, delta->batches);
    sum_add(&run->told.time, delta->time);
    sum_add(&run->told.count, delta->count);
    sum_add_wide(&run->told.count_xx, delta->count_xx);
}

/* Python functions so far, now and then: what a killed recording has is to have names, too. */
static void python_keep(struct run *run, bool last)
{
    enum { SECONDS = 20 };
    if (run->session.stacks && (last || ++run->appends % SECONDS == 0))
        python_functions_keep(&run->stacks.python, &run->delta);
}

static bool has_jit(const struct profile *profile)
{
    for (uint32_t i = 0; i < profile->modules.n; i++)
        if (profile_module_is_jit(profile, i))
            return true;
    return false;
}

static void append(struct run *run, bool last)
{
    struct totals now;
    struct cpu_times times;
    drain_count(&run->drain, last);
    if (!run->described && run->drain.processes) {
        facts_agent(&run->delta, run->options, &run->drain);
        run->described = true;
    }
    if (last)
        facts_last(&run->delta, run->options, &run->drain);
    target_times(&run->target, &times);
    if (last && run->target.started)
        drain_outliving(&run->drain, run->target.child.pid, &times);
    kernel_part_give(&run->kernel, &times, last);
    totals_now(&run->drain, &times, last, &now);
    if (last)
        now.losses[LOSS_thread_native] += target_deaf(&run->target);
    totals_give(&run->delta.totals, &run->told, &now);
    batches_note(run);
    python_keep(run, last);
    bool jit = last && has_jit(&run->delta);
    output_append(&run->output, &run->delta, last && !jit);
    if (jit) { /* only what was appended is known to need a name */
        output_name_jit(&run->output, &run->delta, JIT_ALL);
        output_append(&run->output, &run->delta, true);
    }
    drain_forget(&run->drain);
    kernel_part_forget(&run->kernel);
}

/* About the delay that the drain wants, but so that a whole number of them ends when the next
 * append is due. */
static uint64_t wait_ns(const struct run *run, uint64_t until_append_ns)
{
    uint64_t delay = run->drain.delay_ns, times = (until_append_ns + delay / 2) / delay;
    return times > 1 ? until_append_ns / times : until_append_ns;
}

/* Returns the time. */
static uint64_t append_if_due(struct run *run)
{
    uint64_t now = clock_ns(CLOCK_MONOTONIC);
    if (now < run->due_ns)
        return now;
    append(run, false);
    now = clock_ns(CLOCK_MONOTONIC);
    run->due_ns = now + APPEND_NS;
    return now;
}

/* A traced program waits for us: its rings are read all the time, and other things now and then. */
static void follow_traces(struct run *run, uint64_t wait)
{
    uint64_t until = clock_ns(CLOCK_MONOTONIC) + (wait < TRACE_NS ? wait : TRACE_NS);
    while (!run->target.ended && clock_ns(CLOCK_MONOTONIC) < until)
        target_wait(&run->target,
                    drain_read_traces(&run->drain, until + READ_NS) ? 0 : TRACE_PAUSE_NS);
}

/* A process that meets functions waits for the plan of each: it is looked after all the time, until
 * it has not asked for a while. */
static void follow_asks(struct run *run, uint64_t wait)
{
    uint64_t now = clock_ns(CLOCK_MONOTONIC), until = now + wait, soon = 0;
    while (!run->target.ended && now < until) {
        uint32_t served = drain_serve(&run->drain);
        now = clock_ns(CLOCK_MONOTONIC);
        soon = served ? now + ASKS_NS : soon;
        uint64_t pause = now < soon ? ASKS_PAUSE_NS : PLANS_NS;
        if (!served && now < until)
            target_wait(&run->target, pause < until - now ? pause : until - now);
        now = clock_ns(CLOCK_MONOTONIC);
    }
}

/* Between two readings that are due: processes that come and go use up the channels, however quiet
 * it was before. A look costs a few microseconds, and waking up for it some 30. It waits before the
 * first look, too: a program can write over the list of channels, and then they look crowded
 * forever. */
static void follow_processes(struct run *run, uint64_t wait)
{
    uint64_t now = clock_ns(CLOCK_MONOTONIC), until = now + wait;
    bool alone = run->drain.processes == 1 && now - run->drain.began_ns > REST_NS;
    uint64_t pause = alone ? ALONE_NS * run->drain.stretch : CROWD_NS;
    uint64_t due = kernel_part_due(&run->kernel);
    until = due > now && due < until ? due : until;
    do {
        target_wait(&run->target, until - now < pause ? until - now : pause);
        now = clock_ns(CLOCK_MONOTONIC);
    } while (!run->target.ended && now < until && !drain_crowded(&run->drain) &&
             !kernel_part_filling(&run->kernel));
}

/* What rings of many threads hold when the program has ended can take minutes, if it goes through a
 * model: that is told after a second, and a signal that comes then ends it. One before is another
 * of those that ended the program. */
static void work_off(struct run *run)
{
    drain_traces_over(&run->drain);
    uint64_t all = drain_traces_left(&run->drain), left = all;
    uint64_t began = clock_ns(CLOCK_MONOTONIC), now = began, tell = began + REST_NS;
    bool told = false;
    while (left && !(told && launch_hurried())) {
        drain_read_traces(&run->drain, now + READ_NS);
        left = drain_traces_left(&run->drain);
        now = append_if_due(run);
        if (!left || now < tell)
            continue;
        if (!told)
            launch_listen(&run->target.child);
        told = true;
        tell = now + REST_NS;
        if (run->options->rest)
            run->options->rest(&(struct recording_rest){left, all - left, now - began});
    }
}

/* Whoever is not the user that gait runs as may not open its memory. */
static void look_for_stranger(struct run *run)
{
    char path[32];
    struct stat status;
    snprintf(path, sizeof path, "/proc/%d", run->target.child.pid);
    if (run->target.started && !*run->recording->stranger && stat(path, &status) == 0 &&
        status.st_uid != geteuid())
        snprintf(run->recording->stranger, sizeof run->recording->stranger,
                 "the program runs as another user (%u), who may not open gait's memory",
                 (unsigned)status.st_uid);
}

/* Threads of injected agents are not the program's. */
static void own_threads_tell(struct run *run)
{
    for (size_t i = 0; i < run->target.n; i++) {
        const struct injected_tids *tids = &run->target.at[i].injected.spawned;
        for (size_t k = 0; k < tids->n; k++)
            kernel_part_own(&run->kernel, tids->at[k]);
    }
}

static void follow(struct run *run)
{
    struct recording_target *target = &run->target;
    uint64_t now = clock_ns(CLOCK_MONOTONIC);
    run->due_ns = now + APPEND_NS;
    uint64_t duration = run->options->duration_ns, end = duration ? now + duration : UINT64_MAX;
    while (!target->ended) {
        uint64_t wait = target_wants(target) ? START_NS : wait_ns(run, run->due_ns - now);
        wait = wait < end - now ? wait : end - now;
        if (run->options->record.mode == RECORD_EXACT_TRACE)
            follow_traces(run, wait);
        else if (run->options->paths)
            follow_asks(run, wait);
        else
            follow_processes(run, wait);
        now = clock_ns(CLOCK_MONOTONIC);
        target->ended |= now >= end;
        look_for_stranger(run);
        target_refresh(target);
        if (target->ended) {
            run->ended_ns = clock_ns(CLOCK_MONOTONIC);
            target_leave(target);
        }
        run->drain.ending = target->ended;
        drain_read(&run->drain);
        run->output.cpu_ns = run->told.whole_user_ns + run->told.whole_kernel_ns;
        if (!target->ended && !rewrites(run))
            output_look_ahead(&run->output);
        own_threads_tell(run);
        kernel_part_read(&run->kernel, false);
        if (kernel_part_dear(&run->kernel))
            run->due_ns = now;
        now = append_if_due(run);
    }
    drain_read(&run->drain);
    own_threads_tell(run);
    kernel_part_read(&run->kernel, true);
    if (run->options->record.mode == RECORD_EXACT_TRACE)
        work_off(run);
    append(run, true);
}

/* ---- after it */

/* Of what was asked for, what there is none of; NULL: there is some of everything. */
static const char *lacking(const struct recording_options *options, const struct profile *total)
{
    if (options->record.mode == RECORD_SAMPLED)
        return NULL;
    if ((options->paths || options->trace_paths) && !total->paths.n)
        return "path";
    if ((options->record.contexts || options->trace_contexts) && !total->stacks.weights.n)
        return "calling context";
    bool counts = options->record.mode == RECORD_EXACT_COUNTS;
    return counts && !total->totals.instructions ? "instruction" : NULL;
}

static void add_up(struct run *run)
{
    struct recording *recording = run->recording;
    const struct profile *total = profile_writer_total(run->output.writer);
    recording->modules = (uint32_t)total->modules.n;
    recording->empty = lacking(run->options, total);
}

static void kernel_conclude(struct run *run)
{
    const struct kernel_part *kernel = &run->kernel;
    struct recording_kernel *to = &run->recording->kernel;
    *to = (struct recording_kernel){.on = kernel->used,
                                    .hz = kernel->hz,
                                    .sample_ns = kernel->sample_ns,
                                    .cost_ns = kernel->cost_ns};
    snprintf(to->refused, sizeof to->refused, "%s", kernel->refused);
    if (!kernel->used)
        return;
    const struct samples *samples = &kernel->follow.samples;
    to->samples = samples->taken;
    to->in_kernel = samples->in_kernel;
    to->bare = samples->bare;
    to->switches = kernel->follow.switches;
    if (kernel->on) {
        to->threads = (uint32_t)kernel->follow.tasks.n;
        to->processes = kernel->follow.processes.seen;
    }
}

static void conclude(struct run *run)
{
    struct recording *recording = run->recording;
    struct drain_sum sum;
    drain_sum(&run->drain, true, &sum);
    recording->status = run->target.child.status;
    recording->usage = run->target.child.usage;
    memcpy(recording->left, run->target.left, sizeof recording->left);
    memcpy(recording->bare, run->target.bare, sizeof recording->bare);
    recording->totals = run->told;
    kernel_part_sum(&run->kernel, &recording->totals);
    kernel_conclude(run);
    recording->translate_ns = sum.totals.translate_ns;
    recording->ending_ns = run->drain.ending_ns;
    recording->ahead_ns = drain_ahead_ns(&run->drain);
    recording->untrue = sum.miscounted;
    recording->trace = sum.trace;
    recording->payloads = sum.payloads;
    memcpy(recording->stack_ends, run->stacks.ends, sizeof recording->stack_ends);
    memcpy(recording->stack_fallbacks, run->stacks.fallbacks, sizeof recording->stack_fallbacks);
    recording->processes = run->drain.pids.n > run->drain.met ? run->drain.pids.n : run->drain.met;
    if (!recording->processes && *run->program)
        recording->no_agent = loadable_hindrance(run->program);
    recording->channel = run->drain.first;
    struct profile told = {.complete = true, .totals = run->told};
    recording->whole = profile_whole(&told);
    if (rewrites(run) || run->options->verbose)
        add_up(run);
}

/* For names. Numbers of paths need all that can be found out of a file; else nobody who waited for
 * the program waits much longer: sweeping the code of python3 takes ten times as long as `python3
 * -c pass`. Of a sampled run most was read ahead, if there was an idle CPU; an exact one has taken
 * its time anyway. */
static struct gather_wish patience(const struct run *run)
{
    const uint64_t step_ns = 16000000, lines_step_ns = 100000000;
    const unsigned lines_most = 6, exact_least = 32;
    uint64_t ran_ns = run->recording->ran_ns;
    if (!rewrites(run)) {
        unsigned lines = 1 + (unsigned)(ran_ns / lines_step_ns);
        return (struct gather_wish){1, lines < lines_most ? lines : lines_most, false, 0};
    }
    unsigned long_enough = 1 + (unsigned)(ran_ns / step_ns);
    if (!run->output.keep.no_paths)
        return (struct gather_wish){0};
    return (struct gather_wish){long_enough, exact_least + long_enough, false, 0};
}

static void finish(struct run *run)
{
    struct err err;
    run->output.cpu_ns = run->told.whole_user_ns + run->told.whole_kernel_ns;
    run->recording->file_bytes = output_close(&run->output, rewrites(run), patience(run));
    run->recording->edges = run->output.rows[TABLE_EDGES];
    run->recording->ranges = run->output.rows[TABLE_RANGES];
    memcpy(run->recording->write_error, run->output.error, sizeof run->output.error);
    if (run->stream_dump.file &&
        !stream_dump_close(&run->stream_dump, run->options->dump_stream, &err))
        snprintf(run->recording->write_error, sizeof run->recording->write_error, "%s", err.text);
    if (run->dump.file && !payload_dump_close(&run->dump, run->options->dump_events, &err))
        snprintf(run->recording->write_error, sizeof run->recording->write_error, "%s", err.text);
    if (run->options->dump_plan && !plans_dump(run->options->plans, run->options->dump_plan, &err))
        snprintf(run->recording->write_error, sizeof run->recording->write_error, "%s", err.text);
}

static bool plans_wanted(const struct run *run)
{
    return run->options->paths || run->options->record.contexts;
}

static bool outputs_open(struct run *run, struct err *err)
{
    const struct recording_options *options = run->options;
    return (!options->dump_events ||
            payload_dump_open(&run->dump, options->dump_events, &run->delta, err)) &&
           (!options->dump_stream ||
            stream_dump_open(&run->stream_dump, options->dump_stream, options->dump_skip, err));
}

/* What processes share with us. */
static bool share_open(struct run *run, struct err *err)
{
    const struct recording_options *options = run->options;
    if (!share_create(&run->share, &options->record, err))
        return false;
    run->paths.ticks = !options->path_ticks      ? TICKS_NONE
                       : options->path_ticks_all ? TICKS_ALL
                                                 : TICKS_SOME;
    run->paths.covered =
        options->record.covered && !options->only; /* paths know nothing of --only */
    run->paths.paths = options->paths;
    run->paths.contexts = options->record.contexts;
    if ((!options->plans || plans_share(options->plans, &run->share, err)) &&
        (!plans_wanted(run) || path_plans_open(&run->paths, &run->share, err)))
        return true;
    share_release(&run->share);
    return false;
}

static void scale_tell(struct run *run)
{
    bool latencies = run->options->record.events & EVENTS_LATENCY;
    if (latencies) {
        latency_scale_measure(&run->scale);
        latency_scale_tell(&run->scale, &run->delta);
    }
    if (run->options->module)
        profile_fact(&run->delta, "module", run->module.name);
    if (run->options->module && latencies)
        module_host_scale(&run->module, &run->scale);
}

static void drain_begin(struct run *run)
{
    const struct recording_options *options = run->options;
    const uint32_t events = options->record.events;
    run->session =
        (struct recording_session){.options = options,
                                   .share = &run->share,
                                   .profile = &run->delta,
                                   .files = &run->files,
                                   .scale = events & EVENTS_LATENCY ? &run->scale : NULL,
                                   .module = options->module ? &run->module : NULL,
                                   .listener = run->dump.file ? &run->dump.consumer : NULL,
                                   .stream_dump = run->stream_dump.file ? &run->stream_dump : NULL,
                                   .paths = plans_wanted(run) ? &run->paths : NULL,
                                   .output = &run->output};
    if (options->record.mode == RECORD_SAMPLED)
        run->session.kernel = &run->kernel;
    if (options->record.mode == RECORD_SAMPLED && events & EVENTS_STACK) {
        walk_stacks_init(&run->stacks, &run->delta);
        run->session.stacks = &run->stacks;
    }
    mapped_files_init(&run->files);
    drain_init(&run->drain, &run->session);
    if (options->plans || run->session.paths)
        run->drain.delay_ns = PLANS_NS;
}

static bool run_to_the_end(struct run *run, struct err *err)
{
    uint64_t began = clock_ns(CLOCK_MONOTONIC);
    if (!outputs_open(run, err) || !share_open(run, err))
        return false;
    facts_first(&run->delta, run->options);
    scale_tell(run);
    kernel_part_open(&run->kernel, run->options, &run->delta);
    uint64_t starts = clock_ns(CLOCK_MONOTONIC);
    bool started = run->options->n_pids ? attach(run, err) : start(run, err);
    if (started) {
        drain_begin(run);
        follow(run);
        run->recording->ran_ns = run->ended_ns - starts;
        run->recording->wall_ns = clock_ns(CLOCK_MONOTONIC) - began;
        conclude(run);
        finish(run);
        run->recording->late_ns = clock_ns(CLOCK_MONOTONIC) - run->ended_ns;
        drain_release(&run->drain);
        mapped_files_release(&run->files);
        if (run->session.stacks)
            walk_stacks_release(&run->stacks);
    }
    target_release(&run->target);
    kernel_part_close(&run->kernel);
    profile_release(&run->delta);
    path_plans_release(&run->paths);
    share_release(&run->share);
    return started;
}

/* What must be recorded for a module to get what it may want. */
static uint32_t module_events(uint32_t kinds)
{
    return (kinds & GAIT_ADDRESS ? EVENTS_ADDRESS : 0) |
           (kinds & GAIT_LATENCY ? EVENTS_LATENCY : 0) |
           (kinds & (GAIT_ARGUMENT | GAIT_RETURNED) ? EVENTS_ARGUMENT : 0) |
           (kinds & (GAIT_OPERAND | GAIT_RESULT | GAIT_VECTOR) ? EVENTS_VALUE : 0);
}

bool recording_run(const struct recording_options *options, struct recording *ret_recording,
                   struct err *err)
{
    struct run *run = mem_alloc(sizeof *run); /* too large for a stack */
    run->options = options;
    run->recording = ret_recording;
    *ret_recording = (struct recording){0};
    if (options->record.mode != RECORD_SAMPLED)
        mem_expect_much();
    else
        mem_keep_freed();
    struct recording_options own = *options;
    bool ready = !options->module || module_host_open(&run->module, options->module, err);
    if (ready && options->module) {
        own.record.events |= module_events(run->module.kinds);
        run->options = &own;
    }
    bool ran = ready && run_to_the_end(run, err);
    if (options->module && ready) {
        if (*run->module.failed)
            snprintf(ret_recording->module_error, sizeof ret_recording->module_error, "%s: %s",
                     options->module, run->module.failed);
        module_host_close(&run->module);
    }
    mem_free(run);
    return ran;
}
