#include "collect/drain.h"

#include "base/clock.h"
#include "base/memory.h"
#include "collect/target/cpu_times.h"
#include "collect/channel/figures.h"
#include "collect/channel/share.h"
#include "collect/exact/path_plans.h"
#include "collect/kernel_part.h"
#include "collect/modules/module_host.h"
#include "collect/output/output.h"
#include "collect/stacks/walk_stacks.h"
#include "profile/sums.h"
#include "wire/plain.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* At most: as often as the profile is appended to. Between two readings the program has evicted our
 * memory from the caches, and fetching it again is most of what a reading costs. */
static const uint64_t DELAY_FIRST_NS = 50000000, DELAY_MIN_NS = 5000000, DELAY_MAX_NS = 900000000;
/* Exact runs: what was translated first is most of what a short program needs. What is read while
 * it runs need not be read when it has ended. */
static const uint64_t DELAY_EXACT_NS = 8000000;
enum { STRETCH_MOST = 4, BATCHES = 16 };
/* What the last reading needs for each segment: rows of ranges and edges, and their order. */
enum { SEGMENT_BYTES = 190, EXPECTED_BYTES_MAX = 24 << 20 };

static uint64_t elapsed_ns(const struct drain *drain)
{
    return clock_ns(CLOCK_MONOTONIC) - drain->began_ns;
}

/* CPU time that can have been used by now. */
static uint64_t passed_ns(const struct drain *drain)
{
    return elapsed_ns(drain) * drain->cpus;
}

static bool exact_counts(const struct drain *drain)
{
    return drain->session->options->record.mode == RECORD_EXACT_COUNTS;
}

static uint64_t module_ns(const struct drain *drain)
{
    return drain->session->module ? module_host_cpu_ns(drain->session->module) : 0;
}

uint64_t drain_own_ns(const struct drain *drain)
{
    return cpu_times_own_ns() + module_ns(drain);
}

uint64_t drain_ahead_ns(const struct drain *drain)
{
    return drain->session->output ? output_ahead_ns(drain->session->output) : 0;
}

void drain_init(struct drain *drain, const struct recording_session *session)
{
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    *drain = (struct drain){.session = session,
                            .began_ns = clock_ns(CLOCK_MONOTONIC),
                            .cpus = (uint64_t)(cpus > 0 ? cpus : 1),
                            .delay_ns = DELAY_FIRST_NS,
                            .unwatched_ns = session->options->record.delay_ns};
    if (exact_counts(drain))
        drain->delay_ns = DELAY_EXACT_NS;
    map_init(&drain->pids, sizeof(int32_t));
    drain->stretch = 1;
    drain->read_ns = drain->began_ns;
    drain->tool_ns_told = drain->startup_ns = drain_own_ns(drain);
}

void drain_release(struct drain *drain)
{
    for (int i = 0; i < CHANNEL_N; i++) {
        if (drain->sources[i])
            source_release(drain->sources[i]);
        mem_free(drain->sources[i]);
        if (drain->mapped[i])
            share_unmap(drain->mapped[i]);
    }
    map_release(&drain->pids);
    *drain = (struct drain){0};
}

/* ---- adding up */

static bool source_live(const struct source *source)
{
    return source && __atomic_load_n(&source->channel->state, __ATOMIC_ACQUIRE) == CHANNEL_LIVE;
}

/* The process called exec: it goes on in another channel. */
static bool replaced(const struct drain *drain, const struct source *source)
{
    for (int i = 0; i < CHANNEL_N; i++) {
        const struct source *other = drain->sources[i];
        if (other && other != source && other->mappings.pid == source->mappings.pid &&
            share_load(&other->channel->start_tsc) > share_load(&source->channel->start_tsc))
            return true;
    }
    return false;
}

/* It is a program without the agent by now, which is a loss of its own. */
static bool became(const struct source *source)
{
    return __atomic_load_n(&source->channel->becoming, __ATOMIC_RELAXED);
}

/* An exact run that neither left the code cache nor said goodbye was stopped in the middle of it.
 */
static bool killed(const struct drain *drain, const struct source *source)
{
    return source->exact && (source->outlives || source_live(source)) &&
           !share_load(&source->channel->losses[LOSS_exact_left]) && !became(source) &&
           !replaced(drain, source);
}

/* Up to its last interrupt; a thread that met none has recorded nothing. */
static uint64_t recorded_ns(const struct drain *drain, struct channel *channel)
{
    uint64_t ran = share_load(&channel->gone_ns);
    for (uint64_t i = 0; i < CHANNEL_THREADS && i < share_load(&channel->n_threads); i++) {
        uint64_t start = share_load(&channel_threads(channel)[i].start_cpu_ns);
        uint64_t end = share_load(&channel_threads(channel)[i].end_cpu_ns);
        ran += end > start ? end - start : 0;
    }
    return ran > drain->unwatched_ns ? ran - drain->unwatched_ns : 0;
}

static void trails_add(struct trail_sum *sum, const struct trail_sum *more)
{
    sum->n += more->n;
    sum->instructions += more->instructions;
    sum->native_ticks += more->native_ticks;
    sum->rates += more->rates;
    sum->native_rates += more->native_rates;
}

/* `walking_ns`: CPU time of handlers, without copying code. */
static void sum_walks(const struct drain *drain, const struct source *source, uint64_t walking_ns,
                      struct drain_sum *sum)
{
    const struct decode *decode = source->decode;
    uint64_t walked = share_load(&source->channel->walked_instructions);
    const struct weighing *weighing = &decode->weighing;
    const struct trail_sum *trails = &weighing->trails;
    u128 ticks =
        trails->instructions ? (u128)walked * trails->native_ticks / trails->instructions : 0;
    /* Of handlers' time alone: an interrupt is never the program's own. */
    uint64_t hz = share_load(&source->channel->tsc_hz);
    if (decode->tallies)
        ticks = plain_warm_ticks((uint64_t)ticks, weighing_variety(weighing));
    u128 walked_ns = hz ? ticks * 1000000000u / hz : 0;
    sum->walked_ns += walked_ns < walking_ns ? (uint64_t)walked_ns : walking_ns;
    sum->miscounted += weighing->miscounted;
    sum->recorded_ns += recorded_ns(drain, source->channel);
    trails_add(&sum->trails, &weighing->trails);
    const struct counted_trails *counted = &decode->trails;
    counted_trails_rates_add(&sum->rates, &counted->rates);
    sum_add(&sum->sampled_ns, decode->sampled_ns);
    sum->varieties += (u128)decode->sampled_ns * weighing_variety(weighing);
    sum_add(&sum->totals.recorded, decode->windows);
    sum_add(&sum->totals.windows, decode->tallies ? counted->trails : decode->windows);
    sum_add(&sum->totals.complete_ns, decode_complete_ns(decode));
    sum_add(&sum->totals.instructions,
            decode->tallies ? counted->instructions : decode->instructions);
    struct window_sums more = {.stream = sum->stream};
    decode_sum(decode, &more);
    sum->stream = more.stream;
    for (int i = 0; i < LOSS_N; i++)
        sum_add(&sum->totals.losses[i], more.losses[i]);
}

/* `gone`: nothing more will come from it. */
static void sum_source(const struct drain *drain, const struct source *source, bool gone,
                       struct drain_sum *sum)
{
    const struct channel *channel = source->channel;
    struct totals *totals = &sum->totals;
    struct figures figures;
    figures_read(channel, passed_ns(drain), drain->session->options->record.mode == RECORD_SAMPLED,
                 &figures);
    payload_sum_add(&sum->payloads, &source->payloads);
    sum->stream.taken += share_load(&channel->stream_taken);
    sum->stream.told += share_load(&channel->stream_told);
    sum->stream.settled += share_load(&channel->stream_settled);
    sum_add(&totals->interrupts, figures.interrupts);
    sum_add(&totals->agent_ns, figures.handler_ns + figures.delivery_ns);
    sum_add(&totals->delivery_ns, figures.delivery_ns);
    sum_add(&totals->translate_ns, figures.translate_ns);
    for (int i = 0; i < LOSS_N; i++)
        sum_add(&totals->losses[i], figures.losses[i]);
    sum_add(&totals->losses[LOSS_garbled], source_garbled(source) + figures.refused);
    sum_add(&totals->losses[LOSS_killed], gone && killed(drain, source));
    if (source->decode)
        sum_walks(drain, source,
                  figures.handler_ns - (figures.translate_ns < figures.handler_ns
                                            ? figures.translate_ns
                                            : figures.handler_ns),
                  sum);
    else
        sum_add(&totals->instructions, source->exact->instructions);
    if (source->traced && gone)
        sum_add(&totals->losses[LOSS_unread], trace_left(&source->traced->trace));
    if (source->traced) {
        trace_verdict_add(&sum->trace, &source->traced->check.verdict);
        sum_add(&totals->losses[LOSS_astray], source->traced->check.verdict.astray);
    }
}

static void sum_stacks(const struct walk_stacks *stacks, struct totals *totals)
{
    for (int i = STACK_OUTERMOST + 1; i < STACK_N_ENDS; i++)
        sum_add(&totals->losses[stack_end_loss[i]], stacks->ends[i]);
    sum_add(&totals->losses[LOSS_stack_gone], stacks->untaken);
    sum_add(&totals->losses[LOSS_python_unread], stacks->python_unnamed);
}

void drain_sum(const struct drain *drain, bool last, struct drain_sum *ret_sum)
{
    *ret_sum = drain->retired;
    for (int i = 0; i < CHANNEL_N; i++)
        if (drain->sources[i])
            sum_source(drain, drain->sources[i], last, ret_sum);
    const struct recording_session *session = drain->session;
    if (session->stacks)
        sum_stacks(session->stacks, &ret_sum->totals);
    if (session->module)
        sum_add(&ret_sum->totals.losses[LOSS_module_full], session->module->dropped);
    const struct directory *directory = session->share->directory;
    uint64_t passed = passed_ns(drain), refused = 0;
    sum_add(&ret_sum->totals.losses[LOSS_no_channel],
            figures_count(share_load(&directory->not_claimed), passed, true, &refused));
    uint64_t forked = figures_count(share_load(&directory->forked), passed, true, &refused);
    for (int i = 0; i < LOSS_N; i++)
        sum_add(
            &ret_sum->totals.losses[i],
            figures_loss((enum loss)i, share_load(&directory->losses[i]), passed, true, &refused));
    sum_add(&ret_sum->totals.losses[LOSS_garbled], refused);
    if (last && forked > drain->joined)
        sum_add(&ret_sum->totals.losses[LOSS_child_native], forked - drain->joined);
}

void drain_outliving(const struct drain *drain, int pid, struct cpu_times *times)
{
    for (int i = 0; i < CHANNEL_N; i++) {
        struct cpu_times more;
        const struct source *source = drain->sources[i];
        if (!source || source->mappings.pid == pid || replaced(drain, source) ||
            !cpu_times_process(source->mappings.pid, &more))
            continue;
        times->user_ns += more.user_ns;
        times->kernel_ns += more.kernel_ns;
    }
}

/* ---- processes come and go */

/* A channel is looked at once its process says that it is live. */
static void source_open(struct drain *drain, uint32_t index)
{
    int32_t pid =
        __atomic_load_n(&drain->session->share->directory->claimed_by[index], __ATOMIC_ACQUIRE);
    if (!pid)
        return;
    if (!drain->mapped[index])
        drain->mapped[index] = share_map(drain->session->share, index);
    struct channel *channel = drain->mapped[index];
    if (!channel || __atomic_load_n(&channel->state, __ATOMIC_ACQUIRE) == CHANNEL_EMPTY)
        return;
    struct source *source = mem_alloc(sizeof *source);
    source_init(source, drain->session, index, channel, pid);
    drain->sources[index] = source;
    if (drain->session->kernel)
        kernel_part_claim(drain->session->kernel, pid, 0, share_load(&channel->start_tsc));
    map_add(&drain->pids, &pid);
    if (!drain->processes++)
        drain->first_source = source;
}

/* Whether nobody will write to the channel any more. A process that waits to be reaped still counts
 * as there, unless it said goodbye. */
static bool source_gone(const struct drain *drain, const struct source *source)
{
    uint32_t state = __atomic_load_n(&source->channel->state, __ATOMIC_ACQUIRE);
    return state == CHANNEL_DONE || replaced(drain, source) ||
           (kill(source->mappings.pid, 0) && errno == ESRCH);
}

/* Its channel is needed for as long as there is something to read of its trace. */
static bool source_retires(const struct drain *drain, struct source *source)
{
    if (drain->ending || !source_gone(drain, source))
        return false;
    return !source->traced ||
           (trace_look(&source->traced->trace), !trace_left(&source->traced->trace));
}

static void first_listen(struct drain *drain)
{
    if (drain->first_source)
        memcpy(&drain->first, drain->first_source->channel, sizeof drain->first);
}

/* Takes the last words of a process that is gone, and makes its channel free for another. */
static void source_retire(struct drain *drain, uint32_t index)
{
    struct source *source = drain->sources[index];
    source_read(source);
    drain->ending_ns += source_count(source, passed_ns(drain), true, true);
    sum_source(drain, source, true, &drain->retired);
    if (source == drain->first_source) {
        first_listen(drain);
        drain->first_source = NULL;
    }
    source_release(source);
    mem_free(source);
    drain->sources[index] = NULL;
    drain->tool_ns[index] = 0;
    share_free(drain->session->share, index);
}

/* ---- reading */

/* Our CPU time since the last time, and what the kernel used for us, in equal parts to the
 * processes that are there to pay for it.
 */
static void tell_cost(struct drain *drain)
{
    uint32_t live = 0;
    for (int i = 0; i < CHANNEL_N; i++)
        live += source_live(drain->sources[i]);
    uint64_t now = drain_own_ns(drain) - drain_ahead_ns(drain);
    if (drain->session->kernel)
        now += drain->session->kernel->cost_ns;
    uint64_t told = drain->tool_ns_told, more = now > told ? now - told : 0;
    drain->tool_ns_told = told + more;
    for (int i = 0; i < CHANNEL_N; i++) {
        if (!source_live(drain->sources[i]))
            continue;
        drain->tool_ns[i] += more / live;
        __atomic_store_n(&drain->sources[i]->channel->tool_cpu_ns, drain->tool_ns[i],
                         __ATOMIC_RELAXED);
    }
}

/* A program that waits, or shares its CPUs with others, makes nothing new meanwhile: all that is
 * done now and then is done by its time. */
static void stretch_update(struct drain *drain)
{
    uint64_t now = clock_ns(CLOCK_MONOTONIC), ran = drain->retired.recorded_ns;
    for (uint32_t i = 0; i < CHANNEL_N; i++)
        if (drain->sources[i])
            ran += recorded_ns(drain, drain->sources[i]->channel);
    uint64_t passed = now - drain->read_ns, more = ran > drain->ran_ns ? ran - drain->ran_ns : 0;
    uint64_t stretch = passed / (more ? more : 1);
    drain->stretch = stretch < 1 ? 1 : stretch > STRETCH_MOST ? STRETCH_MOST : stretch;
    drain->ran_ns = ran;
    drain->read_ns = now;
}

/* Aims at rings between a sixteenth and a quarter full, and at channels that are free. Where many
 * processes are new, twice the delay would bring twice as many: not before they are few. */
static void choose_delay(struct drain *drain, uint64_t fullest, uint32_t used, uint32_t fresh)
{
    uint64_t delay = drain->delay_ns;
    if (fresh > CHANNEL_N / 4)
        delay /= 4;
    else if (fullest > CHANNEL_RING_BYTES / 4 || used > CHANNEL_N / 4)
        delay /= 2;
    else if (fullest < CHANNEL_RING_BYTES / 16 && fresh <= CHANNEL_N / 16)
        delay = exact_counts(drain) ? DELAY_EXACT_NS + elapsed_ns(drain) / 4 : 2 * delay;
    if (drain->session->options->plans || drain->session->paths) /* the program waits for them */
        delay = DELAY_MIN_NS;
    /* Each reading of counters is a batch. A long run need not have more of them for its intervals:
     * they become longer with it. */
    uint64_t each = drain->ran_ns / BATCHES, least = DECODE_BATCH_NS;
    uint64_t batch = (each > least ? each : least) * drain->stretch;
    uint64_t most =
        drain->session->options->record.tally && batch < DELAY_MAX_NS ? batch : DELAY_MAX_NS;
    drain->delay_ns = delay < DELAY_MIN_NS ? DELAY_MIN_NS : delay > most ? most : delay;
}

/* Exact runs: the last reading, for which the user waits, needs memory in proportion to what was
 * translated. */
static void expect_last(struct drain *drain)
{
    size_t bytes = 0;
    if (drain->ending || !exact_counts(drain))
        return;
    for (uint32_t i = 0; i < CHANNEL_N; i++)
        if (drain->sources[i])
            bytes += drain->sources[i]->units.segments.n * SEGMENT_BYTES;
    bytes = bytes < EXPECTED_BYTES_MAX ? bytes : EXPECTED_BYTES_MAX;
    if (bytes > drain->expected_bytes)
        mem_expect(drain->expected_bytes = bytes);
}

/* Processes that the agent has met, as far as that many can have been. */
static void met_update(struct drain *drain)
{
    uint64_t refused = 0, told = share_load(&drain->session->share->directory->processes);
    uint64_t met = figures_count(told, passed_ns(drain), true, &refused);
    drain->met = met <= UINT32_MAX ? (uint32_t)met : 0;
}

void drain_read(struct drain *drain)
{
    uint64_t fullest = 0;
    uint32_t used = 0, fresh = 0;
    drain->joined = share_load(&drain->session->share->directory->joined);
    met_update(drain);
    for (uint32_t i = 0; i < CHANNEL_N; i++) {
        bool known = drain->sources[i];
        if (!known)
            source_open(drain, i);
        if (!drain->sources[i])
            continue;
        fresh += !known;
        uint64_t bytes = source_read(drain->sources[i]);
        source_claim(drain->sources[i]);
        uint64_t memory = share_load(&drain->sources[i]->channel->memory_bytes);
        if (memory > drain->memory_bytes)
            drain->memory_bytes = memory;
        if (bytes > fullest)
            fullest = bytes;
        used++;
    }
    for (uint32_t i = 0; i < CHANNEL_N; i++)
        if (drain->sources[i] && source_retires(drain, drain->sources[i]))
            source_retire(drain, i);
    drain->quiet = drain->quiet && !fullest;
    expect_last(drain);
    stretch_update(drain);
    choose_delay(drain, fullest, used, fresh);
    tell_cost(drain);
}

bool drain_crowded(const struct drain *drain)
{
    const struct directory *directory = drain->session->share->directory;
    uint32_t free = 0, fresh = 0;
    for (uint32_t i = 0; i < CHANNEL_N; i++) {
        bool claimed = __atomic_load_n(&directory->claimed_by[i], __ATOMIC_RELAXED);
        free += !claimed;
        fresh += claimed && !drain->sources[i];
    }
    return fresh > CHANNEL_N / 4 || (fresh && free < CHANNEL_N / 4);
}

uint32_t drain_serve(struct drain *drain)
{
    uint32_t served = 0;
    struct path_plans *paths = drain->session->paths;
    for (uint32_t i = 0; paths && i < CHANNEL_N; i++)
        if (drain->sources[i])
            served += path_plans_serve(paths, drain->sources[i]->channel);
    return served;
}

uint64_t drain_read_traces(struct drain *drain, uint64_t until_ns)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < CHANNEL_N; i++)
        if (drain->sources[i])
            bytes += source_read_trace(drain->sources[i], until_ns);
    return bytes;
}

void drain_traces_over(struct drain *drain)
{
    for (uint32_t i = 0; i < CHANNEL_N; i++)
        if (drain->sources[i])
            source_trace_over(drain->sources[i]);
}

uint64_t drain_traces_left(const struct drain *drain)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < CHANNEL_N; i++)
        if (drain->sources[i] && drain->sources[i]->traced)
            bytes += trace_left(&drain->sources[i]->traced->trace);
    return bytes;
}

void drain_count(struct drain *drain, bool last)
{
    for (int i = 0; i < CHANNEL_N; i++)
        if (drain->sources[i])
            drain->ending_ns +=
                source_count(drain->sources[i], passed_ns(drain), last || drain->quiet, last);
    first_listen(drain);
    drain->quiet = true;
}

void drain_forget(struct drain *drain)
{
    if (drain->session->stacks)
        walk_stacks_forget(drain->session->stacks);
    for (int i = 0; i < CHANNEL_N; i++)
        if (drain->sources[i] && drain->sources[i]->decode)
            decode_forget(drain->sources[i]->decode);
}
