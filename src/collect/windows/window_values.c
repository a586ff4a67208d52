/* What windows recorded of values: the lists of each place, on which threads and CPUs code ran,
 * which locks it held, and how long loads took. */
#include "base/memory.h"
#include "collect/windows/window_consumer.h"
#include "compress/tuple.h"
#include "values/circumstances.h"
#include "values/held_locks.h"
#include "values/latencies.h"
#include "values/physical_pages.h"
#include "values/value_lists.h"

/* Batches between two flushes: thousands of rows, which cost as much as the values themselves. */
enum { VALUES_EVERY = 4 };

struct window_values {
    struct window_consumer consumer;
    const struct units *units;
    struct profile *profile;
    struct payload_sum *sum; /* NULL: window_events.c counts */
    struct value_lists lists;
    struct circumstances circumstances;
    struct held_locks locks;
    struct latencies latencies;
    struct physical_pages pages;
    uint64_t batches; /* closed so far */
};

static void values_window(struct window_consumer *consumer, const struct weighed_window *window)
{
    struct window_values *values = (struct window_values *)consumer;
    uint64_t timed = 0;
    if (!window->whole.n_words)
        return;
    bool right =
        value_lists_take(&values->lists, &window->whole, &window->counted, window->value_weight);
    if (right) {
        circumstances_window(&values->circumstances, &window->counted, window->walk);
        held_locks_window(&values->locks, &window->whole, window->passage_weight);
        if (values->pages.on)
            physical_pages_window(&values->pages, &window->counted);
        if (values->latencies.scale)
            timed = latencies_window(&values->latencies, &window->whole);
    }
    if (!values->sum)
        return;
    values->sum->timed += timed;
    values->sum->windows += right;
    values->sum->astray += !right;
}

static void values_compressed(struct window_consumer *consumer)
{
    value_lists_begin(&((struct window_values *)consumer)->lists);
}

static bool values_message(struct window_consumer *consumer, const struct message *message)
{
    struct window_values *values = (struct window_values *)consumer;
    uint64_t place = tuple_pc(&message->tuple), first = place >> MESSAGE_WORD_BITS;
    struct place at;
    const struct wire_payload *item =
        first > UINT32_MAX ? NULL
                           : payload_word(values->units, (uint32_t)first,
                                          (uint32_t)(place & ((1 << MESSAGE_WORD_BITS) - 1)), &at);
    if (!item || message->count > UINT32_MAX)
        return false;
    if (item->kind == PAYLOAD_LATENCY) {
        latencies_see(&values->latencies, at, message->tuple.value, message->count);
        return true;
    }
    uint32_t of =
        value_places_of(&values->lists.places, item, 0, at, (struct place){.module = MODULE_NONE});
    if (of != VALUE_PLACE_NONE)
        value_lists_see(&values->lists, of, message->tuple.value, message->count << VALUE_BITS);
    return true;
}

static void values_flush(struct window_consumer *consumer, const struct batch_end *end)
{
    struct window_values *values = (struct window_values *)consumer;
    if (end->last)
        circumstances_tell(&values->circumstances, values->profile);
    if (end->last || ++values->batches % VALUES_EVERY == 0)
        value_lists_flush(&values->lists, end->last, end->batch);
    latencies_flush(&values->latencies, end->batch);
}

static void values_end(struct window_consumer *consumer)
{
    struct window_values *values = (struct window_values *)consumer;
    if (values->sum)
        value_places_sum(&values->lists.places, values->sum);
}

static void values_sum(const struct window_consumer *consumer, struct window_sums *sums)
{
    const struct window_values *values = (const struct window_values *)consumer;
    const struct value_stream *stream = values->lists.stream;
    sums->losses[LOSS_page_unknown] += values->pages.unknown;
    if (!stream)
        return;
    sums->stream.taken += stream->compressor.taken;
    sums->stream.told += stream->compressor.told;
    sums->stream.stands_for += stream->stands_for;
    sums->stream.settled += stream->settled;
}

static void values_close(struct window_consumer *consumer)
{
    struct window_values *values = (struct window_values *)consumer;
    value_lists_release(&values->lists);
    circumstances_release(&values->circumstances);
    held_locks_release(&values->locks);
    latencies_release(&values->latencies);
    physical_pages_release(&values->pages);
    mem_free(values);
}

struct window_consumer *window_values_open(const struct window_setting *setting)
{
    static const struct window_consumer_kind kind = {.window = values_window,
                                                     .compressed = values_compressed,
                                                     .message = values_message,
                                                     .flush = values_flush,
                                                     .end = values_end,
                                                     .sum = values_sum,
                                                     .release = values_close};
    const struct recording_session *session = setting->session;
    const struct recording_options *options = session->options;
    struct window_values *values = mem_alloc(sizeof *values);
    bool addresses = options->record.events & EVENTS_ADDRESS;
    *values =
        (struct window_values){.consumer = {&kind},
                               .units = setting->units,
                               .profile = session->profile,
                               .sum = session_wants_events(session) ? NULL : setting->payloads};
    value_lists_init(&values->lists, setting->units);
    circumstances_init(&values->circumstances, setting->units, &values->lists);
    held_locks_init(&values->locks, setting->units, &values->lists);
    latencies_init(&values->latencies, &values->lists);
    physical_pages_init(&values->pages, &values->lists);
    values->pages.on = options->record.events & EVENTS_PAGE;
    values->lists.places.by_callers = options->value_callers;
    values->lists.hotlist = options->hotlist;
    values->lists.random.state = options->record.seed;
    values->lists.places.calls = options->record.events & EVENTS_ARGUMENT;
    values->lists.strided = addresses;
    values->locks.on = addresses;
    values->latencies.scale = session->scale;
    if (options->compress && !options->record.compress[0]) /* else the agent compresses */
        values->lists.stream = value_stream_open(options->design, options->record.seed);
    return &values->consumer;
}
