#include "collect/exact/traced.h"

#include "base/err.h"
#include "base/memory.h"
#include "consumers/exact.h"
#include "consumers/stream_dump.h"

static void consumer_add(struct traced *traced, struct consumer *consumer)
{
    ASSERT(traced->trace.n_consumers < TRACE_CONSUMERS);
    traced->trace.consumers[traced->trace.n_consumers++] = consumer;
}

static void replay_open(struct traced *traced, const struct recording_session *session,
                        struct units *units)
{
    const struct recording_options *options = session->options;
    traced->replay = mem_alloc(sizeof *traced->replay);
    trace_replay_init(traced->replay, units, options->core, options->audience);
    traced->replay->also = session->stream_dump ? &session->stream_dump->model : NULL;
    traced->replay->records.interval = options->pairs;
    traced->replay->records.tags = options->tags;
    traced->replay->records.buffer = options->buffer;
    traced->replay->counters.period = options->counters;
    traced->replay->counters.seed = options->record.seed;
    trace_replay_limit(traced->replay, options->steps);
    traced->replay->costs = options->trace_paths || options->trace_contexts; /* each takes them */
    traced->paths.replay = traced->contexts.replay = traced->replay;
    consumer_add(traced, &traced->replay->consumer);
}

void traced_init(struct traced *traced, const struct recording_session *session, uint32_t index,
                 struct channel *channel, struct units *units, struct payload_sum *payloads)
{
    const struct recording_options *options = session->options;
    const uint32_t events = options->record.events;
    units->numbers = true;
    trace_init(&traced->trace, session->share, index, channel, units);
    traced->trace.payload = events & EVENTS_PAYLOAD;
    trace_count_init(&traced->count, units);
    trace_check_init(&traced->check, units);
    trace_trips_init(&traced->trips, units);
    trace_paths_init(&traced->paths, units);
    trace_contexts_init(&traced->contexts, units);
    trace_values_init(&traced->values, units, payloads);
    trace_waste_init(&traced->waste, units);
    if (options->trace_paths && options->trace_contexts) {
        traced->contexts.keeps = true;
        traced->paths.contexts = &traced->contexts;
        traced->paths.walks.in_contexts = &traced->paths.in_contexts;
    }
    traced->values.listener = session->listener;
    traced->values.places.by_callers = options->value_callers;
    traced->values.places.calls = events & EVENTS_ARGUMENT;
    traced->values.strided = events & EVENTS_ADDRESS;
    consumer_add(traced, &traced->count.consumer);
    consumer_add(traced, &traced->check.consumer);
    if (options->loops)
        consumer_add(traced, &traced->trips.consumer);
    if (options->audience || options->core)
        replay_open(traced, session, units);
    if (options->trace_contexts)
        consumer_add(traced, &traced->contexts.consumer);
    if (options->trace_paths)
        consumer_add(traced, &traced->paths.consumer);
    if (events & EVENTS_PAYLOAD && !options->for_core)
        consumer_add(traced, &traced->values.consumer);
    if (!(~events & (EVENTS_ADDRESS | EVENTS_VALUE)))
        consumer_add(traced, &traced->waste.consumer);
    if (session->stream_dump) {
        session->stream_dump->consumer.units = units; /* one process at a time */
        consumer_add(traced, &session->stream_dump->consumer);
    }
}

void traced_release(struct traced *traced)
{
    trace_release(&traced->trace);
    trace_count_release(&traced->count);
    trace_check_release(&traced->check);
    trace_trips_release(&traced->trips);
    trace_paths_release(&traced->paths);
    trace_contexts_release(&traced->contexts);
    trace_values_release(&traced->values);
    trace_waste_release(&traced->waste);
    if (traced->replay)
        trace_replay_release(traced->replay);
    mem_free(traced->replay);
}

void traced_give(struct traced *traced, struct exact *exact, struct profile *profile, bool last)
{
    if (last)
        trace_end(&traced->trace);
    struct exact_reading reading = trace_count_reading(&traced->count, last);
    exact_read(exact, &reading);
    trace_trips_give(&traced->trips, profile);
    trace_paths_give(&traced->paths, profile);
    if (!last)
        return;
    uint32_t pid = (uint32_t)traced->trace.units->mappings->pid;
    trace_paths_end(&traced->paths, profile, pid);
    trace_contexts_give(&traced->contexts, profile, pid);
    trace_values_give(&traced->values, profile);
    trace_waste_give(&traced->waste, profile);
    if (traced->replay)
        trace_replay_give(traced->replay, profile);
}
