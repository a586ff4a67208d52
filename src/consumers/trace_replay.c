#include "consumers/trace_replay.h"

#include "consumers/modelled.h"
#include "values/payloads.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- code */

static const struct image *image_of(void *context, uint32_t module)
{
    struct trace_replay *replay = context;
    return images_find(&replay->images, replay->consumer.units->mappings, module);
}

/* All segments one behind the other; REPLAY_NONE: they cannot be read. */
static uint32_t superblock_make(struct trace_replay *replay, const struct superblock *superblock)
{
    const struct unit_segment *segments =
        &replay->consumer.units->segments.at[superblock->first_segment];
    uint32_t first = (uint32_t)replay->code.insns.n;
    for (uint32_t s = 0; s < superblock->n_segments; s++)
        if (segments[s].instructions &&
            code_run(&replay->code, segments[s].at.module, segments[s].at.address,
                     segments[s].bytes, segments[s].instructions) == REPLAY_NONE)
            return REPLAY_NONE;
    return first;
}

static void superblock_follow(struct trace_replay *replay, const struct superblock *superblock)
{
    const struct unit_segment *segments =
        &replay->consumer.units->segments.at[superblock->first_segment];
    uint32_t first = superblock_make(replay, superblock), n = 0;
    for (uint32_t j = 0; j < superblock->n_exits; j++) {
        n += j < superblock->n_segments ? segments[j].instructions : 0;
        replay->exits.at[superblock->first_exit + j] = (struct replay_exit){first, n};
    }
}

static void units_follow(struct trace_replay *replay)
{
    const struct units *units = replay->consumer.units;
    while (replay->exits.n < units->owner.n)
        *vec_push(&replay->exits) = (struct replay_exit){REPLAY_NONE, 0};
    for (; replay->followed < units->superblocks.n; replay->followed++)
        superblock_follow(replay, &units->superblocks.at[replay->followed]);
}

/* ---- threads */

static void thread_begin(struct consumer *consumer, uint32_t thread, int32_t tid)
{
    struct trace_replay *replay = (struct trace_replay *)consumer;
    while (replay->threads.n <= thread)
        *vec_push(&replay->threads) = NULL;
    struct replay_thread *core = mem_alloc(sizeof *core);
    replay_init(&core->replay, &replay->code);
    replay->threads.at[thread] = core;
    if (replay->also)
        replay_listen(&core->replay, replay->also);
    if (replay->audience) {
        core->replay.wrong_ways = replay->audience->wrong_ways;
        replay->audience->begin(replay->audience, &core->replay, tid);
    } else {
        core->listener = account_listen(&replay->account, &core->replay);
        core->records = trace_records_listen(&replay->records, &core->replay, tid);
        core->counters = trace_counters_listen(&replay->counters, &core->replay, tid);
    }
    if (replay->costs)
        step_costs_listen(&core->costs, &core->replay);
}

static void thread_end(struct consumer *consumer, uint32_t thread, uint32_t stop)
{
    struct trace_replay *replay = (struct trace_replay *)consumer;
    struct replay_thread *core = replay->threads.at[thread];
    (void)stop;
    if (replay->audience && replay->audience->end)
        replay->audience->end(replay->audience, &core->replay);
    step_costs_release(&core->costs);
    if (core->listener) {
        account_settle(core->listener);
        account_listener_free(core->listener);
    }
    trace_records_end(core->records);
    counters_listener_free(core->counters);
    replay_release(&core->replay);
    mem_free(core);
    replay->threads.at[thread] = NULL;
}

/* ---- passages */

struct step_costs *trace_replay_costs(const struct trace_replay *replay, uint32_t thread)
{
    if (!replay->costs)
        return NULL;
    step_costs_again(&replay->threads.at[thread]->costs);
    return &replay->threads.at[thread]->costs;
}

/* What the items of the exit's instructions recorded; the words of the next exit. */
static const uint64_t *data_read(struct trace_replay *replay, uint32_t exit, uint32_t n,
                                 const uint64_t *words)
{
    const struct units *units = replay->consumer.units;
    const struct superblock *superblock = &units->superblocks.at[units_owner(units, exit)];
    const struct wire_payload *items = &units->payload.at[superblock->first_item];
    vec_reserve(&replay->data, n);
    struct replay_data *data = replay->data.at;
    for (uint32_t i = 0; i < n; i++)
        data[i] = (struct replay_data){0};
    for (uint32_t i = 0; i < superblock->n_items && items[i].instruction < n; i++) {
        struct replay_data *of = &data[items[i].instruction];
        if ((items[i].kind <= PAYLOAD_DESTINATION || items[i].kind == PAYLOAD_GATHER_BASE) &&
            !of->address)
            of->address = *words;
        if (items[i].kind == PAYLOAD_RESULT && items[i].detail == 0)
            of->value_bits = (uint8_t)(*words ? 64 - __builtin_clzll(*words) : 1);
        words += items[i].words;
    }
    return words;
}

static uint64_t exit_start(const struct units *units, uint32_t exit)
{
    const struct superblock *superblock = &units->superblocks.at[units_owner(units, exit)];
    struct place at = units->segments.at[superblock->first_segment].at;
    return replay_at(at.module, at.address);
}

static uint64_t passage_next(const struct units *units, const struct passage *passage, uint32_t i)
{
    if (i + 1 < passage->n)
        return units_owner(units, passage->exits[i + 1]) == UNIT_NONE
                   ? 0
                   : exit_start(units, passage->exits[i + 1]);
    if (!passage->end_pc)
        return 0;
    struct place at = mappings_place(units->mappings, (struct avma){passage->end_pc});
    return replay_at(at.module, at.address);
}

/* Nobody waits for a program of which enough was seen. */
static void steps_take(struct trace_replay *replay, uint32_t n)
{
    if (!replay->steps_left)
        return;
    replay->steps_left -= n < replay->steps_left ? n : replay->steps_left;
    if (!replay->steps_left)
        syscall(SYS_pidfd_send_signal, replay->process, SIGKILL, NULL, 0);
}

static void passage_read(struct consumer *consumer, const struct passage *passage)
{
    struct trace_replay *replay = (struct trace_replay *)consumer;
    struct replay *core = &replay->threads.at[passage->thread]->replay;
    const uint64_t *words = passage->payload;
    struct step_costs *costs = trace_replay_costs(replay, passage->thread);
    if (replay->followed < consumer->units->superblocks.n)
        units_follow(replay);
    if (costs)
        step_costs_clear(costs);
    if (passage->n_payload &&
        payloads_words(consumer->units, passage->exits, passage->n) != passage->n_payload) {
        replay->astray++;
        words = NULL;
    }
    for (uint32_t i = 0; i < passage->n; i++) {
        uint32_t id = passage->exits[i];
        const struct replay_exit *exit = &replay->exits.at[id];
        if (units_owner(consumer->units, id) == UNIT_NONE)
            continue;
        bool data = words && passage->n_payload;
        if (data)
            words = data_read(replay, id, exit->n, words);
        if (exit->first == REPLAY_NONE) {
            replay->unread += exit->n;
            if (costs)
                step_costs_skip(costs, exit->n);
            replay_gap(core, 0);
            continue;
        }
        replay_run(core, exit->first, exit->n, passage_next(consumer->units, passage, i),
                   data ? replay->data.at : NULL);
        steps_take(replay, exit->n);
    }
}

void trace_replay_init(struct trace_replay *replay, const struct units *units,
                       const struct model *model, struct replay_audience *audience)
{
    static const struct consumer_kind kind = {thread_begin, passage_read, thread_end};
    *replay =
        (struct trace_replay){.consumer = {&kind, units}, .audience = audience, .process = -1};
    account_init(&replay->account);
    trace_records_init(&replay->records, units->mappings);
    trace_counters_init(&replay->counters, (uint32_t)units->mappings->pid);
    code_init(&replay->code, audience ? audience->model : model,
              (struct code_source){image_of, replay});
}

void trace_replay_limit(struct trace_replay *replay, uint64_t steps)
{
    if (!steps)
        return;
    replay->process = (int)syscall(SYS_pidfd_open, replay->consumer.units->mappings->pid, 0);
    replay->steps_left = replay->process < 0 ? 0 : steps;
}

void trace_replay_release(struct trace_replay *replay)
{
    if (replay->process >= 0)
        close(replay->process);
    for (size_t i = 0; i < replay->threads.n; i++)
        if (replay->threads.at[i])
            thread_end(&replay->consumer, (uint32_t)i, 0);
    vec_release(&replay->threads);
    account_release(&replay->account);
    trace_records_release(&replay->records);
    trace_counters_release(&replay->counters);
    vec_release(&replay->exits);
    vec_release(&replay->data);
    code_release(&replay->code);
    images_release(&replay->images);
}

void trace_replay_give(struct trace_replay *replay, struct profile *profile)
{
    modelled_give(&replay->account, &replay->code, profile);
    trace_records_give(&replay->records, profile);
    trace_counters_give(&replay->counters, profile);
    profile_loss(profile, "unmodelled", replay->unread);
    replay->unread = 0;
}
