#include "collect/windows/decode.h"

#include "collect/stacks/walk_stacks.h"
#include "profile/sums.h"
#include "wire/only.h"
#include "wire/plain.h"

/* Exits of a window that paths are looked for in, and what an exit costs: measured. */
enum { PATHS_EXITS = 2048, PATHS_EXIT_NS = 55, PATHS_BUDGET_PART = 4 };
/* What reading a module costs for each byte of its code, measured, and how much of it may always
 * be: 0.1 s, once. */
enum { PATHS_CODE_NS = 6, PATHS_CODE_FREE = 16 << 20 };

void decode_init(struct decode *decode, struct units *units, struct crew *crew,
                 struct profile *profile)
{
    *decode = (struct decode){.units = units, .crew = crew, .profile = profile};
    tally_init(&decode->tally);
    batch_init(&decode->batch);
    expansion_init(&decode->expansion, units, &decode->tally, &decode->batch);
    context_runs_init(&decode->context_runs, units, profile);
    trips_init(&decode->trips, units, &decode->batch);
    path_pool_init(&decode->paths, units);
    value_lists_init(&decode->values, units);
    circumstances_init(&decode->circumstances, units, &decode->values);
    held_locks_init(&decode->locks, units, &decode->values);
    latencies_init(&decode->latencies, &decode->values);
    conflicts_init(&decode->conflicts, units, &decode->batch);
    window_keep_init(&decode->keep, units, profile);
    messages_init(&decode->messages, units, &decode->values, &decode->latencies);
    module_values_init(&decode->module, units);
    decode->pace = (struct decode_pace){.overhead_ppm = 10000, .every = 1};
    rates_init(&decode->rates);
}

void decode_release(struct decode *decode)
{
    stack_past_release(&decode->past);
    context_runs_release(&decode->context_runs);
    rates_release(&decode->rates);
    trip_walk_release(&decode->trip_walk);
    trips_release(&decode->trips);
    path_pool_release(&decode->paths);
    value_lists_release(&decode->values);
    circumstances_release(&decode->circumstances);
    held_locks_release(&decode->locks);
    latencies_release(&decode->latencies);
    conflicts_release(&decode->conflicts);
    window_keep_release(&decode->keep);
    messages_release(&decode->messages);
    module_values_release(&decode->module);
    expansion_release(&decode->expansion);
    batch_release(&decode->batch);
    tally_release(&decode->tally);
}

/* ---- one window */

/* Where the last exit went, if it was indirect: no superblock of this window starts there. */
static void end_weigh(struct decode *decode, const struct event_walk *walk, uint32_t last_exit,
                      const struct tally_weight *weight)
{
    if (tally_goes(&decode->tally, last_exit) || !walk->end_pc)
        return;
    struct place to = mappings_place(decode->units->mappings, (struct avma){walk->end_pc});
    decode->unmapped += mappings_missed(decode->units->mappings, to);
    uint64_t units = tally_units(weight, 1);
    expansion_end(&decode->expansion, last_exit, to,
                  (struct tally_flow){.time = units, .count = units * weight->rate});
}

/* The superblock in which most of the window ran, and how much of it. */
static struct rate_place window_place(const struct decode *decode,
                                      const struct tally_window *window)
{
    uint32_t block = decode->tally.exits.at[window->most_exit].block;
    return (struct rate_place){.start = expansion_block(&decode->expansion, block)->start,
                               .share = 16 * window->most / window->instructions};
}

/* Instructions per tick, 2^-RATE_BITS. */
static uint64_t rate_of(uint64_t instructions, uint64_t ticks)
{
    uint64_t rate = (instructions << RATE_BITS) / (ticks ? ticks : 1);
    return rate < 1 ? 1 : rate > DECODE_RATE_MAX ? DECODE_RATE_MAX : rate;
}

/* The rates of trails as they are: what copies cost in single ones scatters too much to be taken
 * off. It is known for the sum of a run. */
static void trail_add(struct decode *decode, const struct event_walk *walk,
                      const struct rate_place *place, uint64_t most)
{
    bool is_long = walk->flags & WALK_LONG;
    uint64_t rate = rate_of(walk->trail, walk->trail_ticks);
    uint64_t native =
        plain_native_ticks(walk->trail_ticks, walk->trail_direct, walk->trail_indirect);
    struct decode_trails *trails = is_long ? &decode->long_trails : &decode->trails;
    trails->n++;
    trails->instructions += walk->trail;
    trails->native_ticks += native;
    trails->rates += rate;
    trails->native_rates += rate_of(walk->trail, native);
    if (!is_long)
        rates_add(&decode->rates, place, rate < most ? rate : most);
}

/* A window of slow code tells the most that its rate can be. Its trail may have gone through other
 * code, and its place be that of other windows. */
static uint64_t rate_most(const struct decode *decode, const struct event_walk *walk)
{
    uint64_t ticks = (uint64_t)((u128)walk->slow_ns * decode->tsc_hz / 1000000000);
    return ticks ? rate_of(walk->instructions, ticks) : DECODE_RATE_MAX;
}

static uint64_t place_rate(struct decode *decode, const struct event_walk *walk,
                           const struct rate_place *place)
{
    uint64_t most = rate_most(decode, walk);
    if ((walk->flags & WALK_TIMED) && walk->trail && walk->trail_ticks)
        trail_add(decode, walk, place, most);
    rates_meet(&decode->rates, decode->tally.exits_seen.n);
    uint64_t rate = rates_expect(&decode->rates, place, 1u << RATE_BITS);
    return rate < most ? rate : most;
}

/* What weighs a passage in the window weighs each run of a loop that it has. To find them costs
 * several times all else that is done with a window, and how long runs are is well known from a
 * few: one of TRIPS_EVERY is looked through, and stands for all. */
static void trips_weigh(struct decode *decode, const struct event_walk *walk, const uint32_t *exits,
                        const struct tally_weight *weight)
{
    if (decode->windows % TRIPS_EVERY)
        return;
    const struct mapping *end = mappings_find(decode->units->mappings, (struct avma){walk->end_pc});
    struct place place = {0};
    if (end)
        place = (struct place){end->module, {walk->end_pc + end->shift}};
    trips_begin(&decode->trip_walk, TRIPS_EVERY * tally_units(weight, 1) * weight->rate);
    trips_exits(&decode->trips, &decode->trip_walk, exits, walk->n_exits);
    trips_end(&decode->trips, &decode->trip_walk, end ? &place : NULL);
}

/* Paths that are whole in the first part of the window. To follow them costs several times all else
 * that is done with it, and what comes later in a window is much like what comes first: parts of
 * all windows tell more than some windows do. Windows of a trigger that has few ticks are ten times
 * as long as others, and their parts no longer. */
static void paths_weigh(struct decode *decode, const uint32_t *exits, size_t n,
                        const struct tally_weight *weight)
{
    struct tally_weight part = *weight;
    size_t seen = 0;
    if (decode->windows % decode->pace.every)
        return;
    part.instructions = 0;
    while (seen + 1 < n && seen < PATHS_EXITS &&
           part.instructions * PATHS_PART < weight->instructions)
        part.instructions += decode->tally.exits.at[exits[seen++]].instructions;
    if (!part.instructions)
        return;
    decode->pace.exits += seen;
    const struct units *units = decode->units;
    int32_t next = units_owner(units, exits[seen]);
    const struct unit_segment *first =
        &units->segments.at[units->superblocks.at[next].first_segment];
    path_pool_add(
        &decode->paths, exits,
        &(struct path_part){.n = (uint32_t)seen,
                            .instructions = (uint32_t)part.instructions,
                            .weight = decode->pace.every * tally_units(&part, 1) * part.rate,
                            .end = {first->start, first->at, 0}});
}

static uint64_t sample_ns(const struct event_walk *walk, uint64_t weight_ns)
{
    return walk->flags & WALK_OUTSIDE ? ONLY_OUTSIDE_EVERY * weight_ns : weight_ns;
}

/* What this window does, of what its sample stands for. */
static uint64_t stands_for_ns(const struct event_walk *walk, uint64_t weight_ns)
{
    uint64_t all = sample_ns(walk, weight_ns);
    return walk->share < walk->shares ? all * walk->share / walk->shares : all;
}

/* Calling contexts are known from the interrupt on, as far as a walk's first window goes: it stands
 * for all. */
static void passages_weigh(struct decode *decode, const struct event_walk *walk,
                           const uint32_t *exits, const struct tally_weight *weight,
                           uint64_t weight_ns)
{
    struct tally_weight whole = *weight;
    if (!decode->stacks || (walk->flags & WALK_FURTHER))
        return;
    whole.units = sample_ns(walk, weight_ns) << UNIT_BITS;
    context_runs_window(&decode->context_runs, walk, exits, decode->stack, &whole);
}

/* In sixteenths. */
static uint32_t value_weight(double relative)
{
    relative = relative * (1 << VALUE_BITS) + 0.5;
    return relative < 1 ? 1 : relative > VALUE_WEIGHT_MAX ? VALUE_WEIGHT_MAX : (uint32_t)relative;
}

/* What a value of the window weighs, as its instructions do, against what others have weighed in
 * the mean; and what the window does. */
static void values_weigh(struct decode *decode, const struct tally_weight *weight)
{
    struct decode_mean *mean = &decode->mean;
    double executions = (double)weight->units * (double)weight->rate;
    mean->executions += executions;
    mean->instructions += (double)weight->instructions;
    mean->windows++;
    double each = executions / (double)weight->instructions;
    decode->values_weigh = value_weight(each * mean->instructions / mean->executions);
    decode->window_weighs = value_weight(executions * mean->windows / mean->executions);
}

static void window_book(struct decode *decode, const struct event_walk *walk, uint64_t weight_ns)
{
    decode->windows++;
    decode->instructions += walk->instructions;
    decode->complete_ns += walk->flags & WALK_COMPLETE ? stands_for_ns(walk, weight_ns) : 0;
}

/* Of a window that was compressed only its length is known. */
static void decode_compressed(struct decode *decode, const struct event_walk *walk,
                              uint64_t weight_ns)
{
    struct rate_place place = {.start = walk->pc};
    struct tally_weight weight = {.instructions = walk->instructions,
                                  .units = stands_for_ns(walk, weight_ns) << UNIT_BITS,
                                  .rate = place_rate(decode, walk, &place)};
    window_book(decode, walk, weight_ns);
    messages_window(&decode->messages, &weight);
}

static void messages_expand(struct decode *decode)
{
    struct tally_weight weight;
    if (!messages_tally(&decode->messages, &decode->tally, &weight))
        return;
    batch_add_window(&decode->batch, weight.units, weight.units * weight.rate);
    tally_weigh(&decode->tally, &weight);
}

void decode_messages(struct decode *decode, const struct message *messages, size_t n)
{
    expansion_follow(&decode->expansion);
    messages_take(&decode->messages, messages, n);
}

/* The walk as far as its window counts (collect/windows/window_reach.h). Exits that nobody knows
 * are left in: they are found out. */
static struct event_walk counted_part(struct decode *decode, const struct event_walk *walk,
                                      const uint32_t *exits)
{
    const struct units *units = decode->units;
    struct event_walk part = *walk;
    uint64_t most = window_reach(&decode->reach), instructions = 0;
    uint32_t n = 0;
    window_reach_add(&decode->reach, walk->instructions, walk->flags & WALK_SHORT);
    if (walk->instructions <= most)
        return part;
    while (n < walk->n_exits && instructions < most && exits[n] < decode->tally.exits.n)
        instructions += decode->tally.exits.at[exits[n++]].instructions;
    int32_t next = n && n < walk->n_exits ? units_owner(units, exits[n]) : -1;
    if (next < 0 || instructions < most)
        return part;
    part.n_exits = n;
    part.instructions = (uint32_t)instructions;
    part.end_pc = units->segments.at[units->superblocks.at[next].first_segment].start;
    return part;
}

static void decode_window(struct decode *decode, const struct event_walk *whole,
                          const uint32_t *exits, uint64_t weight_ns)
{
    struct tally_window window = {0};
    struct tally_weight weight = {0};
    expansion_follow(&decode->expansion);
    struct event_walk part = counted_part(decode, whole, exits), *walk = &part;
    decode->counted = part.n_exits;
    if (!tally_window(&decode->tally, exits, walk->n_exits, &window)) {
        decode->garbled++;
    } else if (window.instructions) {
        struct rate_place place = window_place(decode, &window);
        weight = (struct tally_weight){.instructions = window.instructions,
                                       .units = stands_for_ns(walk, weight_ns) << UNIT_BITS,
                                       .rate = place_rate(decode, walk, &place)};
        end_weigh(decode, walk, exits[walk->n_exits - 1], &weight);
        trips_weigh(decode, walk, exits, &weight);
        paths_weigh(decode, exits, walk->n_exits, &weight);
        passages_weigh(decode, walk, exits, &weight, weight_ns);
        batch_add_window(&decode->batch, weight.units, weight.units * weight.rate);
        window_book(decode, whole, weight_ns);
        values_weigh(decode, &weight);
        decode->window_ns = stands_for_ns(walk, weight_ns);
        decode->miscounted += window.instructions != walk->instructions;
    }
    tally_weigh(&decode->tally, &weight);
}

/* What paths may cost in so much CPU time. */
static uint64_t paths_allowed_ns(const struct decode_pace *pace, uint64_t cpu_ns)
{
    return cpu_ns / 1000000 * pace->overhead_ppm / PATHS_BUDGET_PART;
}

static void pace_set(struct decode_pace *pace, uint64_t cpu_ns)
{
    uint64_t allowed = paths_allowed_ns(pace, cpu_ns);
    uint64_t spent = pace->exits * PATHS_EXIT_NS;
    if (spent > allowed)
        pace->every *= 2;
    else if (pace->every > 1 && 4 * spent < allowed)
        pace->every /= 2;
    pace->exits = 0;
    pace->cpu_ns += cpu_ns;
}

/* The largest module that may be read for paths. */
static uint64_t code_most(const struct decode_pace *pace)
{
    uint64_t bytes = paths_allowed_ns(pace, pace->cpu_ns) / PATHS_CODE_NS;
    return bytes > PATHS_CODE_FREE ? bytes : PATHS_CODE_FREE;
}

void decode_flush(struct decode *decode, bool last)
{
    pace_set(&decode->pace, decode->span.cpu_ns);
    messages_expand(decode);
    decode->unmapped += expansion_flush(&decode->expansion);
    path_pool_close(&decode->paths, decode->batch.x_time, decode->batch.x_count);
    if (path_pool_is_full(&decode->paths))
        path_pool_give(&decode->paths, decode->profile, code_most(&decode->pace));
    if (last)
        circumstances_tell(&decode->circumstances, decode->profile);
    if (last || ++decode->batches % VALUES_EVERY == 0)
        value_lists_flush(&decode->values, last, &decode->batch);
    latencies_flush(&decode->latencies, &decode->batch);
    module_values_flush(&decode->module, &decode->batch, decode->profile);
    batch_close(&decode->batch, decode->profile);
    decode->span = (struct decode_span){0};
}

void decode_finish_paths(struct decode *decode)
{
    path_pool_give(&decode->paths, decode->profile, code_most(&decode->pace));
}

/* ---- walks */

/* The interrupted place, in its calling context if that is known. */
static uint32_t time_node(struct decode *decode, const struct event_walk *walk, struct place at,
                          const struct stack_sample *stack)
{
    struct mappings *mappings = decode->units->mappings;
    struct stacks *stacks = &decode->profile->stacks;
    uint64_t thread = stack_thread((uint32_t)mappings->pid, (uint32_t)walk->tid);
    uint32_t root = stacks_node(stacks, STACK_NONE, MODULE_NONE, thread);
    decode->stack = decode->stacks && stack ? &decode->stacks->stack : NULL;
    if (decode->stack)
        return walk_stacks_node(decode->stacks,
                                &(struct walk_thread){mappings, &decode->past, (uint32_t)walk->tid},
                                stack, root, &decode->stack_begin);
    if (decode->stacks)
        decode->stacks->untaken++;
    return stacks_node(stacks, root, at.module, at.address.v);
}

/* The interrupted place gets what the sample stands for. */
static void time_add(struct decode *decode, const struct event_walk *walk,
                     const struct stack_sample *stack, uint64_t weight_ns)
{
    if (!walk->pc || !weight_ns)
        return;
    struct mappings *mappings = decode->units->mappings;
    struct place at = mappings_place(mappings, (struct avma){walk->pc});
    decode->unmapped += mappings_missed(mappings, at);
    uint32_t group = decode->samples++ % STACK_GROUPS;
    if (!mappings->only || selection_takes(mappings->only, mappings, at))
        stacks_add(&decode->profile->stacks, time_node(decode, walk, at, stack), group, weight_ns);
    struct totals *totals = &decode->profile->totals;
    sum_add(&totals->samples, 1);
    sum_add(&totals->sampled_ns, weight_ns);
    sum_add_wide(&totals->sampled_xx, (u128)weight_ns * weight_ns);
}

/* Walks of several threads come out of order, by little. */
static void span_add(struct decode *decode, uint64_t tsc, uint64_t since_ns)
{
    struct decode_span *span = &decode->span;
    uint64_t passed = tsc > span->start_tsc ? tsc - span->start_tsc : 0;
    uint64_t long_enough = decode->tsc_hz / (1000000000 / DECODE_BATCH_NS);
    if (span->cpu_ns >= DECODE_BATCH_NS && passed >= long_enough)
        decode_flush(decode, false);
    if (!span->cpu_ns)
        span->start_tsc = tsc;
    span->cpu_ns += since_ns;
}

void decode_walk(struct decode *decode, const struct event_walk *walk, const uint32_t *exits,
                 const struct stack_sample *stack)
{
    struct crew_sample sample = crew_sample(decode->crew, walk);
    span_add(decode, walk->tsc, sample.since_ns);
    decode->stack_begin = 0;
    decode->values_weigh = 0;
    decode->window_ns = 0;
    decode->stack = NULL;
    if (!(walk->flags & WALK_FURTHER))
        time_add(decode, walk, stack, sample.weight_ns);
    if ((walk->flags & WALK_COMPRESSED) && sample.weight_ns && walk->instructions)
        decode_compressed(decode, walk, sample.weight_ns);
    if (!walk->n_exits)
        return;
    if (sample.weight_ns)
        decode_window(decode, walk, exits, sample.weight_ns);
    else
        decode->garbled++; /* no sample can follow another at once */
}
