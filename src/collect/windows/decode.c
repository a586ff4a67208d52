#include "collect/windows/decode.h"

#include "base/err.h"
#include "collect/windows/window_consumer.h"
#include "wire/only.h"
#include "wire/u128.h"

/* ---- consumers */

static void consumers_open(struct decode *decode, const struct window_setting *setting)
{
    static struct window_consumer *(*const opens[])(const struct window_setting *) = {
#define WINDOW_CONSUMER(name) name##_open,
#include "collect/windows/window_consumers.def"
#undef WINDOW_CONSUMER
    };
    for (size_t i = 0; i < sizeof opens / sizeof *opens; i++) {
        struct window_consumer *consumer = opens[i](setting);
        if (consumer)
            decode_listen(decode, consumer);
    }
}

void decode_listen(struct decode *decode, struct window_consumer *consumer)
{
    ASSERT(decode->n_consumers < DECODE_CONSUMERS);
    decode->consumers[decode->n_consumers++] = consumer;
}

void decode_init(struct decode *decode, const struct recording_session *session,
                 struct channel *channel, struct units *units, struct crew *crew,
                 struct payload_sum *payloads)
{
    *decode = (struct decode){.units = units,
                              .crew = crew,
                              .profile = session->profile,
                              .tallies = session->options->record.tally};
    interrupts_init(&decode->interrupts, session, units->mappings);
    weighing_init(&decode->weighing, units);
    decode->weighing.copies_q8 = session->options->record.copies_q8;
    batch_init(&decode->batch);
    expansion_init(&decode->expansion, units, &decode->weighing.tally, &decode->batch);
    counted_trails_init(&decode->trails, &decode->expansion, channel);
    consumers_open(decode, &(struct window_setting){.session = session,
                                                    .units = units,
                                                    .tally = &decode->weighing.tally,
                                                    .batch = &decode->batch,
                                                    .payloads = payloads});
}

void decode_release(struct decode *decode)
{
    for (size_t i = 0; i < decode->n_consumers; i++)
        decode->consumers[i]->kind->release(decode->consumers[i]);
    messages_release(&decode->messages);
    counted_trails_release(&decode->trails);
    expansion_release(&decode->expansion);
    batch_release(&decode->batch);
    weighing_release(&decode->weighing);
    interrupts_release(&decode->interrupts);
}

void decode_end(struct decode *decode)
{
    for (size_t i = 0; i < decode->n_consumers; i++) {
        struct window_consumer *c = decode->consumers[i];
        if (c->kind->end)
            c->kind->end(c);
    }
}

void decode_forget(struct decode *decode)
{
    for (size_t i = 0; i < decode->n_consumers; i++) {
        struct window_consumer *c = decode->consumers[i];
        if (c->kind->forget)
            c->kind->forget(c);
    }
}

void decode_sum(const struct decode *decode, struct window_sums *sums)
{
    sums->losses[LOSS_unmapped] += decode->unmapped + decode->interrupts.unmapped;
    for (int kind = 0; kind < TUPLE_KINDS; kind++)
        sums->stream.stands_for += decode->messages.stands_for[kind];
    for (size_t i = 0; i < decode->n_consumers; i++) {
        struct window_consumer *c = decode->consumers[i];
        if (c->kind->sum)
            c->kind->sum(c, sums);
    }
}

uint64_t decode_garbled(const struct decode *decode)
{
    return decode->garbled + decode->weighing.garbled + decode->messages.garbled;
}

/* ---- batches */

static void messages_expand(struct decode *decode)
{
    struct tally_weight weight;
    struct tally *tally = &decode->weighing.tally;
    if (!messages_tally(&decode->messages, tally, decode->units->mappings->only, &weight))
        return;
    batch_add_window(&decode->batch, weight.units, weight.units * weight.rate);
    tally_weigh(tally, &weight);
}

/* When the batch was; one without a walk was counted now. */
static void batch_date(struct decode *decode)
{
    uint64_t hz = decode->weighing.tsc_hz, now = __builtin_ia32_rdtsc();
    uint64_t first = decode->span.start_tsc ? decode->span.start_tsc : now;
    uint64_t last = decode->span.last_tsc > first ? decode->span.last_tsc : first;
    uint64_t begin_ns = interrupts_unix(first, hz), end_ns = interrupts_unix(last, hz);
    decode->batch.span = (struct time_part){begin_ns, end_ns > begin_ns ? end_ns : begin_ns};
}

void decode_flush(struct decode *decode, bool last)
{
    if (decode->tallies)
        counted_trails_read(&decode->trails);
    batch_date(decode);
    struct batch_end end = {.batch = &decode->batch, .cpu_ns = decode->span.cpu_ns, .last = last};
    messages_expand(decode);
    decode->unmapped += expansion_flush(&decode->expansion);
    for (size_t i = 0; i < decode->n_consumers; i++) {
        struct window_consumer *c = decode->consumers[i];
        if (c->kind->flush)
            c->kind->flush(c, &end);
    }
    batch_close(&decode->batch, decode->profile);
    decode->span.cpu_ns = decode->span.start_tsc = decode->span.last_tsc = 0;
}

void decode_counters(struct decode *decode)
{
    if (!decode->tallies)
        return;
    weighing_tell(&decode->weighing, decode->trails.channel);
    if (decode->span.cpu_ns >= DECODE_BATCH_NS / 2)
        decode_flush(decode, false);
}

/* Walks of several threads come out of order, by little. */
static void span_add(struct decode *decode, uint64_t tsc, uint64_t since_ns)
{
    uint64_t passed = tsc > decode->span.start_tsc ? tsc - decode->span.start_tsc : 0;
    uint64_t long_enough = decode->weighing.tsc_hz / (1000000000 / DECODE_BATCH_NS);
    if (!decode->tallies && decode->span.cpu_ns >= DECODE_BATCH_NS && passed >= long_enough)
        decode_flush(decode, false);
    if (!decode->span.cpu_ns)
        decode->span.start_tsc = tsc;
    decode->span.last_tsc = tsc > decode->span.last_tsc ? tsc : decode->span.last_tsc;
    decode->span.cpu_ns += since_ns;
}

/* ---- windows */

static uint64_t sample_ns(const struct event_walk *walk, uint64_t weight_ns)
{
    uint64_t ns = walk->periods_q8 ? weight_ns * walk->periods_q8 >> 8 : weight_ns;
    return walk->flags & WALK_OUTSIDE ? ONLY_OUTSIDE_EVERY * ns : ns;
}

/* The window's share of what its sample stands for. */
static uint64_t stands_for_ns(const struct event_walk *walk, uint64_t weight_ns)
{
    uint64_t all = sample_ns(walk, weight_ns);
    return walk->share < walk->shares ? all * walk->share / walk->shares : all;
}

/* Where the last exit went, if it was indirect: no superblock of this window starts there. */
static void end_weigh(struct decode *decode, const struct event_walk *walk, uint32_t last_exit,
                      const struct tally_weight *weight)
{
    if (tally_goes(&decode->weighing.tally, last_exit) || !walk->end_pc)
        return;
    struct place to = mappings_place(decode->units->mappings, (struct avma){walk->end_pc});
    decode->unmapped += mappings_missed(decode->units->mappings, to);
    uint64_t units = tally_units(weight, 1);
    expansion_end(&decode->expansion, last_exit, to,
                  (struct tally_flow){.time = units, .count = units * weight->rate});
}

static void window_book(struct decode *decode, const struct event_walk *whole, uint64_t ns)
{
    decode->windows++;
    decode->instructions += whole->instructions;
    if (!decode->tallies)
        decode->complete_ns += whole->flags & WALK_COMPLETE ? ns : 0;
}

/* A trail that came to a system call is complete, as a window is. An interrupt in the kernel has no
 * place: trails stand for user time alone, however much the kernel has beside it. */
static void sample_book(struct decode *decode, const struct event_walk *walk, uint64_t ns)
{
    bool whole = walk->counted && (walk->stop >= LOSS_N || walk->stop == LOSS_at_syscall);
    if (!walk->pc)
        return;
    counted_trails_sample(&decode->trails, walk, ns);
    decode->sampled_ns += ns;
    if (!decode->tallies || walk->flags & WALK_NONE)
        return;
    decode->tried_ns += ns;
    decode->complete_ns += whole || walk->flags & WALK_COMPLETE ? ns : 0;
}

uint64_t decode_complete_ns(const struct decode *decode)
{
    if (!decode->tallies || !decode->tried_ns)
        return decode->complete_ns;
    return (uint64_t)((u128)decode->sampled_ns * decode->complete_ns / decode->tried_ns);
}

/* The payload of the part that counts. */
static void payload_cut(const struct units *units, struct weighed_window *window)
{
    window->counted = window->whole;
    if (window->walk->n_exits >= window->whole.n_exits)
        return;
    window->counted.n_exits = window->walk->n_exits;
    uint64_t words = payloads_words(units, window->counted.exits, window->counted.n_exits);
    window->counted.n_words = words <= window->whole.n_words ? words : 0; /* the whole is astray */
}

static void decode_window(struct decode *decode, const struct walk_entry *entry, uint64_t weight_ns,
                          const struct stack *stack)
{
    const struct event_walk *whole = entry->walk;
    struct weighed_window window;
    uint64_t ns = stands_for_ns(whole, weight_ns);
    expansion_follow(&decode->expansion);
    struct event_walk part = weighing_part(&decode->weighing, whole, entry->exits);
    if (!weighing_window(&decode->weighing, &part, entry->exits, ns, &window)) {
        tally_weigh(&decode->weighing.tally, &(struct tally_weight){0});
        return;
    }
    window.whole = (struct payload_window){whole->tid, whole->n_exits, whole->n_payload,
                                           entry->exits, entry->words};
    window.sample_ns = sample_ns(whole, weight_ns);
    window.number = decode->windows;
    window.others = crew_others(decode->crew, (uint32_t)whole->tid);
    window.stack = stack;
    payload_cut(decode->units, &window);
    window_book(decode, whole, ns);
    if (decode->tallies) {
        tally_weigh(&decode->weighing.tally, &(struct tally_weight){0});
    } else {
        end_weigh(decode, &part, entry->exits[part.n_exits - 1], &window.weight);
        batch_add_window(&decode->batch, window.weight.units,
                         window.weight.units * window.weight.rate);
        tally_weigh(&decode->weighing.tally, &window.weight);
    }
    for (size_t i = 0; i < decode->n_consumers; i++) {
        struct window_consumer *c = decode->consumers[i];
        if (c->kind->window)
            c->kind->window(c, &window);
    }
}

static void decode_compressed(struct decode *decode, const struct event_walk *walk,
                              uint64_t weight_ns)
{
    uint64_t ns = stands_for_ns(walk, weight_ns);
    struct tally_weight weight = weighing_compressed(&decode->weighing, walk, ns);
    window_book(decode, walk, ns);
    messages_window(&decode->messages, &weight);
    for (size_t i = 0; i < decode->n_consumers; i++) {
        struct window_consumer *c = decode->consumers[i];
        if (c->kind->compressed)
            c->kind->compressed(c);
    }
}

static bool message_take(struct decode *decode, const struct message *message)
{
    enum tuple_kind kind = tuple_kind(&message->tuple);
    if (kind == TUPLE_EXIT)
        return messages_exit(&decode->messages, message);
    if (kind != TUPLE_VALUE && kind != TUPLE_LATENCY)
        return false;
    for (size_t i = 0; i < decode->n_consumers; i++) {
        struct window_consumer *c = decode->consumers[i];
        if (c->kind->message && c->kind->message(c, message))
            return true;
    }
    return false;
}

void decode_messages(struct decode *decode, const struct message *messages, size_t n)
{
    expansion_follow(&decode->expansion);
    for (size_t i = 0; i < n; i++) {
        if (message_take(decode, &messages[i]))
            decode->messages.stands_for[tuple_kind(&messages[i].tuple)] += messages[i].count;
        else
            decode->messages.garbled++;
    }
}

uint64_t decode_walk(struct decode *decode, const struct walk_entry *entry)
{
    const struct event_walk *walk = entry->walk;
    struct crew_sample sample = crew_sample(decode->crew, walk);
    struct interrupt interrupt = {0};
    span_add(decode, walk->tsc, sample.since_ns);
    if (!(walk->flags & WALK_FURTHER)) {
        sample_book(decode, walk, sample.weight_ns);
        interrupt = interrupts_add(&decode->interrupts, walk, entry->stack, sample.weight_ns,
                                   decode->weighing.tsc_hz);
    }
    if ((walk->flags & WALK_COMPRESSED) && sample.weight_ns && walk->instructions)
        decode_compressed(decode, walk, sample.weight_ns);
    if (walk->n_exits && sample.weight_ns)
        decode_window(decode, entry, sample.weight_ns, interrupt.stack);
    else
        decode->garbled += walk->n_exits != 0; /* no sample can follow another at once */
    return interrupt.stack_begin;
}
