#include "collect/source.h"

#include "collect/exact/call_tree.h"
#include "collect/target/cpu_times.h"
#include "process/selection_wire.h"
#include "collect/channel/share.h"
#include "collect/source_ring.h"

#include <limits.h>
#include <string.h>
#include <sys/mman.h>

static void trace_open(struct source_trace *trace, const struct source_place *place,
                       struct units *units, struct payload_sum *sum)
{
    units->numbers = true;
    trace_init(&trace->trace, place->share, place->index, place->channel, units);
    trace->trace.payload = place->events & EVENTS_PAYLOAD;
    trace_count_init(&trace->count, units);
    trace_check_init(&trace->check, units);
    trace_trips_init(&trace->trips, units);
    trace_paths_init(&trace->paths, units);
    trace_contexts_init(&trace->contexts, units);
    trace_values_init(&trace->values, units, sum);
    trace->values.places.by_callers = place->by_callers;
    trace->values.ordered = place->events & EVENTS_ADDRESS; /* strides */
    trace->trace.consumers[trace->trace.n_consumers++] = &trace->count.consumer;
    trace->trace.consumers[trace->trace.n_consumers++] = &trace->check.consumer;
    if (place->loops)
        trace->trace.consumers[trace->trace.n_consumers++] = &trace->trips.consumer;
    if (place->audience || place->core) {
        trace->replay = mem_alloc(sizeof *trace->replay);
        trace_replay_init(trace->replay, units, place->core, place->audience);
        trace->replay->also = place->dump ? &place->dump->model : NULL;
        trace->replay->records.interval = place->pairs;
        trace->replay->costs = place->paths || place->contexts; /* of either: each takes them */
        trace->paths.replay = trace->contexts.replay = trace->replay;
        trace->trace.consumers[trace->trace.n_consumers++] = &trace->replay->consumer;
    }
    if (place->paths)
        trace->trace.consumers[trace->trace.n_consumers++] = &trace->paths.consumer;
    if (place->contexts)
        trace->trace.consumers[trace->trace.n_consumers++] = &trace->contexts.consumer;
    if (place->events & EVENTS_PAYLOAD && !place->for_core)
        trace->trace.consumers[trace->trace.n_consumers++] = &trace->values.consumer;
    if (place->dump) {
        place->dump->consumer.units = units; /* one process at a time */
        trace->trace.consumers[trace->trace.n_consumers++] = &place->dump->consumer;
    }
}

void source_init(struct source *source, const struct source_place *place, enum record_mode mode,
                 struct profile *profile)
{
    *source = (struct source){.channel = place->channel, .mode = mode, .profile = profile};
    mappings_init(&source->mappings, profile, place->pid);
    source->mappings.only = place->only;
    units_init(&source->units, &source->mappings);
    crew_init(&source->crew, mode == RECORD_SAMPLED);
    if (mode == RECORD_SAMPLED) {
        source->decode = mem_alloc(sizeof *source->decode);
        decode_init(source->decode, &source->units, &source->crew, profile);
        source->decode->stacks = place->stacks;
        source->decode->latencies.scale = place->scale;
        source->decode->conflicts.on = place->events & EVENTS_ADDRESS;
        source->decode->locks.on = place->events & EVENTS_ADDRESS;
        if (place->overhead_ppm)
            source->decode->pace.overhead_ppm = place->overhead_ppm;
        source->each_event = place->module;
        source->decode->module.host = place->module;
        source->decode->values.places.by_callers = place->by_callers;
        source->decode->values.ordered = place->events & EVENTS_ADDRESS; /* strides */
        if (place->compress)
            source->decode->values.stream = value_stream_open(place->compress, place->seed);
        return;
    }
    source->exact = mem_alloc(sizeof *source->exact);
    exact_init(source->exact, &source->units, profile);
    if (mode == RECORD_EXACT_TRACE) {
        source->trace = mem_alloc(sizeof *source->trace);
        trace_open(source->trace, place, &source->units, &source->payloads);
    } else {
        source->banks = mem_alloc(sizeof *source->banks);
        banks_init(source->banks, place->share, place->index, place->channel);
    }
}

static void trace_close(struct source_trace *trace)
{
    trace_release(&trace->trace);
    trace_count_release(&trace->count);
    trace_check_release(&trace->check);
    trace_trips_release(&trace->trips);
    trace_paths_release(&trace->paths);
    trace_contexts_release(&trace->contexts);
    trace_values_release(&trace->values);
    if (trace->replay)
        trace_replay_release(trace->replay);
    mem_free(trace->replay);
}

void source_release(struct source *source)
{
    if (source->decode)
        decode_release(source->decode);
    if (source->exact)
        exact_release(source->exact);
    if (source->banks)
        banks_release(source->banks);
    if (source->trace)
        trace_close(source->trace);
    mem_free(source->decode);
    mem_free(source->exact);
    mem_free(source->banks);
    mem_free(source->trace);
    mappings_release(&source->mappings);
    units_release(&source->units);
    crew_release(&source->crew);
    vec_release(&source->entry);
    vec_release(&source->stack);
    *source = (struct source){0};
}

void source_listen(struct source *source, struct payload_consumer *consumer)
{
    source->consumer = consumer;
    source->each_event = source->each_event || consumer;
    if (source->trace)
        source->trace->values.listener = consumer;
}

static const unsigned char *section(const struct source *source, size_t at)
{
    return (const unsigned char *)source->channel + at;
}

/* ---- maps */

/* False: the entry is not one; how long it is cannot be believed either. */
static bool map_read(struct source *source, const unsigned char *entry, uint64_t room,
                     uint32_t *ret_bytes)
{
    struct wire_map map;
    if (room < sizeof map)
        return false;
    memcpy(&map, entry, sizeof map);
    if (map.bytes < sizeof map || map.bytes % 8 || map.bytes > room ||
        map.path_bytes > map.bytes - sizeof map || map.path_bytes >= PATH_MAX)
        return false;
    char path[PATH_MAX];
    memcpy(path, entry + sizeof map, map.path_bytes);
    path[map.path_bytes] = 0;
    mappings_add(&source->mappings, &map, path);
    if (source->plans) {
        struct place start = mappings_place(&source->mappings, (struct avma){map.start});
        plans_map(source->plans, source->channel, &map, path, map.start - start.address.v);
    }
    if (source->paths)
        path_plans_map(source->paths, source->channel, &source->mappings, &map);
    *ret_bytes = map.bytes;
    return true;
}

static void maps_read(struct source *source, uint64_t bytes)
{
    if (bytes > CHANNEL_MAPS_BYTES)
        bytes = CHANNEL_MAPS_BYTES;
    while (!source->maps_broken && source->maps_read < bytes) {
        uint32_t used;
        if (map_read(source, section(source, CHANNEL_MAPS_AT) + source->maps_read,
                     bytes - source->maps_read, &used)) {
            source->maps_read += used;
        } else {
            source->maps_broken = true;
            source->garbled++;
        }
    }
    if (source->plans || source->paths)
        plans_answer(source->channel, source->maps_broken ? bytes : source->maps_read);
}

static void only_tell(struct source *source)
{
    struct mappings *mappings = &source->mappings;
    if (!mappings->only || source->mode != RECORD_SAMPLED || source->only_told == mappings->changes)
        return;
    source->only_told = mappings->changes;
    selection_tell(mappings->only, mappings, channel_only(source->channel));
}

/* ---- all */

/* What was read of the section is nobody's any more: its pages are given back, which were the
 * process's memory as well. Its first word is looked at again. */
static void units_drop(struct source *source)
{
    const uint64_t page = 4096, some = 1 << 20;
    uint64_t end = source->units.bytes_read & ~(page - 1);
    if (end < source->units_dropped + some)
        return;
    uint64_t start = source->units_dropped ? source->units_dropped : page;
    madvise((unsigned char *)source->channel + CHANNEL_UNITS_AT + start, end - start, MADV_REMOVE);
    source->units_dropped = end;
}

/* Units lie in the mappings of their moment, to which marks among them tell how far to read.
 * Whatever was translated before the mappings that are known now is published by now: both are done
 * under one lock. Walks are published after the units that they name. */
void source_read_units(struct source *source)
{
    uint64_t maps = share_load(&source->channel->maps_bytes);
    uint64_t units = share_load(&source->channel->units_bytes);
    const unsigned char *start = section(source, CHANNEL_UNITS_AT);
    uint32_t first;
    memcpy(&first, start, sizeof first);
    if (units && first != UNIT_MAPS) /* it does not tell of moments */
        maps_read(source, share_load(&source->channel->maps_bytes));
    while (units_read(&source->units, start, units)) {
        uint64_t there = share_load(&source->channel->maps_bytes);
        maps_read(source, source->units.maps_wanted < there ? source->units.maps_wanted : there);
    }
    maps_read(source, maps);
    only_tell(source);
    units_drop(source);
}

uint64_t source_read(struct source *source)
{
    uint64_t ring = share_load(&source->channel->ring_head), before = source->ring_read;
    if (source->decode) {
        source->decode->tsc_hz = share_load(&source->channel->tsc_hz);
        source->decode->conflicts.sharing.soon = source->decode->tsc_hz / 2;
    }
    source_read_units(source);
    source_ring_read(source, ring);
    return source->ring_read - before;
}

uint64_t source_read_trace(struct source *source, uint64_t until_ns)
{
    if (!source->trace || !trace_look(&source->trace->trace))
        return 0;
    source_read_units(source);
    return trace_read(&source->trace->trace, until_ns);
}

/* Threads that are there now. One that ends while its slot is copied is told of by its event. */
static void threads_read(struct source *source)
{
    uint64_t n = share_load(&source->channel->n_threads);
    for (uint64_t i = 0; i < n && i < CHANNEL_THREADS; i++) {
        const struct wire_thread *slot = &channel_threads(source->channel)[i];
        int32_t tid = __atomic_load_n(&slot->tid, __ATOMIC_ACQUIRE);
        struct wire_thread thread = *slot;
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        thread.tid = tid;
        if (tid && tid == __atomic_load_n(&slot->tid, __ATOMIC_RELAXED))
            crew_tell(&source->crew, &thread, (uint32_t)source->mappings.pid, source->profile);
    }
}

static void counters_read(struct source *source, bool last)
{
    const struct banks *banks = source->banks;
    if (source->trace) {
        if (last)
            trace_end(&source->trace->trace);
        struct exact_reading reading = trace_count_reading(&source->trace->count, last);
        exact_read(source->exact, &reading);
        trace_trips_give(&source->trace->trips, source->profile);
        trace_paths_give(&source->trace->paths, source->profile);
        if (last)
            trace_paths_end(&source->trace->paths, source->profile);
        if (last)
            trace_contexts_give(&source->trace->contexts, source->profile,
                                (uint32_t)source->mappings.pid);
        if (last)
            trace_values_give(&source->trace->values, source->profile);
        if (last && source->trace->replay)
            trace_replay_give(source->trace->replay, source->profile);
        return;
    }
    if (!banks_read(source->banks, source->units.counters, last))
        return;
    if (source->plans && last)
        plans_take(source->plans, source->banks, &source->units.paths);
    if (source->paths && last) {
        if (source->paths->contexts)
            call_tree_take(source);
        if (source->paths->paths)
            path_plans_take(source->paths, source);
    }
    exact_read(source->exact, &(struct exact_reading){.counters = banks->sum.at,
                                                      .n = banks->sum.n,
                                                      .threads = banks->threads,
                                                      .last = last});
}

/* A process that has ended since the last reading may have published units for its counters. What
 * one that still runs counts from now on is lost, whether or not it ends before the recording does.
 */
static void last_look(struct source *source)
{
    uint32_t state = __atomic_load_n(&source->channel->state, __ATOMIC_ACQUIRE);
    source->outlives = state == CHANNEL_LIVE;
    source_read_units(source);
}

uint64_t source_count(struct source *source, bool close_batch, bool last)
{
    threads_read(source);
    if (source->banks && last)
        last_look(source);
    if (source->exact)
        counters_read(source, last);
    else if (close_batch)
        decode_flush(source->decode, last);
    uint64_t before = cpu_times_own_ns();
    if (source->decode && last)
        decode_finish_paths(source->decode);
    if (source->decode && last && !source->each_event)
        value_places_sum(&source->decode->values.places, &source->payloads);
    return cpu_times_own_ns() - before;
}

uint64_t source_garbled(const struct source *source)
{
    uint64_t garbled = source->garbled + source->units.garbled;
    garbled += source->decode ? source->decode->garbled + source->decode->messages.garbled : 0;
    return garbled + (source->trace ? source->trace->trace.garbled : 0);
}
