#include "collect/call_tree.h"
#include "collect/source.h"

#include "collect/cpu_times.h"
#include "collect/selection_wire.h"
#include "collect/share.h"
#include "wire/stack_words.h"

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
        source->each_event = (place->events & EVENTS_LATENCY) || place->module;
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
        plans_answer(source->channel, source->maps_read);
}

static void only_tell(struct source *source)
{
    struct mappings *mappings = &source->mappings;
    if (!mappings->only || source->mode != RECORD_SAMPLED || source->only_told == mappings->changes)
        return;
    source->only_told = mappings->changes;
    selection_tell(mappings->only, mappings, channel_only(source->channel));
}

/* ---- ring */

/* Where the parts of a walk lie, behind its head. */
struct walk_parts {
    uint64_t exits_at, words_at, stack_at;
};

static bool walk_parts(const struct event_walk *walk, uint32_t bytes, struct walk_parts *ret)
{
    const uint64_t registers = sizeof(uint64_t[STACK_COPY_REGISTERS]);
    if (walk->n_exits > bytes / sizeof(uint32_t) || walk->n_lead > bytes / sizeof(uint32_t) ||
        walk->n_payload > bytes / sizeof(uint64_t))
        return false;
    uint64_t lead = sizeof(uint32_t) * (uint64_t)walk->n_lead;
    uint64_t exits = sizeof(uint32_t) * (uint64_t)walk->n_exits;
    ret->exits_at = sizeof *walk + lead;
    ret->words_at = (ret->exits_at + exits + 7) & ~UINT64_C(7);
    ret->stack_at = ret->words_at + sizeof(uint64_t) * (uint64_t)walk->n_payload;
    return ret->stack_at + (walk->stack_bytes ? registers : 0) <= bytes &&
           walk->stack_bytes % 8 == 0 && walk->stack_bytes <= STACK_COPY_BYTES;
}

static const void *entry_at(const struct source *source, uint64_t at)
{
    return source->entry.at + at;
}

static bool stack_read(struct source *source, const struct event_walk *walk, uint64_t at,
                       uint32_t bytes, struct stack_sample *ret_stack)
{
    uint64_t words_at = at + sizeof(uint64_t[STACK_COPY_REGISTERS]);
    vec_reserve(&source->stack, STACK_COPY_BYTES / 8);
    *ret_stack = (struct stack_sample){.mask = STACK_REGISTERS_MASK,
                                       .registers = entry_at(source, at),
                                       .bytes = (const uint8_t *)source->stack.at,
                                       .n_bytes = walk->stack_bytes};
    return stack_words_decode(entry_at(source, words_at), (bytes - words_at) / 8, source->stack.at,
                              walk->stack_bytes / 8);
}

/* So that not more is copied than is needed. A thread that has just taken over another's slot may get what was
 * meant for that one: then its next stack is cut, and all is copied again. */
static void stack_begin_tell(struct source *source, const struct event_walk *walk)
{
    struct wire_thread *threads = channel_threads(source->channel);
    if (walk->slot < CHANNEL_THREADS && threads[walk->slot].tid == walk->tid)
        __atomic_store_n(&threads[walk->slot].stack_begin, source->decode->stack_begin,
                         __ATOMIC_RELAXED);
}

/* Values go to their lists, which count what they read; with others who want to know, and of latencies, each event is looked at. */
static void payload_read(struct source *source, const struct payload_window *window,
                         uint32_t cpu_node)
{
    struct payload_consumer *consumers[3];
    size_t n = 0;
    if (source->consumer)
        consumers[n++] = source->consumer;
    if (source->decode && source->decode->latencies.scale)
        consumers[n++] = &source->decode->latencies.consumer;
    if (source->decode && source->decode->module.host)
        consumers[n++] = &source->decode->module.consumer;
    bool right = !source->decode || !source->decode->values_weigh ||
                 value_lists_take(&source->decode->values, window, source->decode->values_weigh);
    if (right && source->decode && source->decode->values_weigh) {
        circumstances_window(&source->decode->circumstances, window, cpu_node);
        held_locks_window(&source->decode->locks, window);
    }
    if (source->each_event) {
        payloads_read(&source->units, window, &source->payloads, consumers, n);
        return;
    }
    source->payloads.windows += right;
    source->payloads.astray += !right;
}

static bool walk_read(struct source *source, uint32_t bytes)
{
    struct event_walk walk;
    struct walk_parts parts;
    if (bytes < sizeof walk)
        return false;
    memcpy(&walk, source->entry.at, sizeof walk);
    if (!walk_parts(&walk, bytes, &parts))
        return false;
    const uint32_t *exits = entry_at(source, parts.exits_at);
    struct stack_sample stack;
    if (walk.stack_bytes && !stack_read(source, &walk, parts.stack_at, bytes, &stack))
        return false;
    if (source->decode)
        decode_walk(source->decode, &walk, exits, walk.stack_bytes ? &stack : NULL);
    struct payload_window window = {walk.tid, walk.n_exits, walk.n_payload, exits,
                                    entry_at(source, parts.words_at)};
    if (source->decode && source->decode->window_ns)
        window_keep_take(&source->decode->keep, &window, walk.tsc, source->decode->window_ns);
    if (walk.n_payload)
        payload_read(source, &window, walk.cpu_node);
    if (walk.n_payload && source->decode)
        conflicts_window(&source->decode->conflicts, &window, walk.tsc);
    if (source->decode && walk.stack_bytes)
        stack_begin_tell(source, &walk);
    return true;
}

/* What is known of a thread when it ends. */
static bool thread_read(struct source *source, uint32_t bytes)
{
    struct event_thread event;
    if (bytes != sizeof event)
        return false;
    memcpy(&event, source->entry.at, sizeof event);
    crew_tell(&source->crew, &event.thread, (uint32_t)source->mappings.pid, source->profile);
    crew_end(&source->crew, (uint32_t)event.thread.tid);
    return true;
}

/* False: it makes no sense. */
static bool messages_read(struct source *source, uint32_t bytes)
{
    struct event_messages event;
    if (bytes < sizeof event)
        return false;
    memcpy(&event, source->entry.at, sizeof event);
    if (event.n > (bytes - sizeof event) / sizeof(struct message))
        return false;
    if (source->decode)
        decode_messages(source->decode, entry_at(source, sizeof event), event.n);
    return true;
}

static bool entry_read(struct source *source, uint32_t bytes)
{
    uint32_t kind;
    memcpy(&kind, source->entry.at, sizeof kind);
    switch (kind) {
    case EVENT_PAD: return true;
    case EVENT_WALK: return walk_read(source, bytes);
    case EVENT_THREAD: return thread_read(source, bytes);
    case EVENT_MESSAGES: return messages_read(source, bytes);
    default: return false;
    }
}

/* Whether the entry at the reading position is whole: its kind is written last. */
static bool entry_ready(const struct source *source)
{
    uint64_t at = source->ring_read & (CHANNEL_RING_BYTES - 1);
    const void *kind = section(source, CHANNEL_RING_AT) + at;
    return at % 8 || __atomic_load_n((const uint32_t *)kind, __ATOMIC_ACQUIRE) != 0;
}

/* What was read is left as zeroes, for the next round of the ring. */
static void entry_clear(struct source *source, uint32_t bytes)
{
    uint64_t at = source->ring_read & (CHANNEL_RING_BYTES - 1);
    memset((unsigned char *)source->channel + CHANNEL_RING_AT + at, 0, bytes);
}

static void ring_read(struct source *source, uint64_t published)
{
    if (published - source->ring_read > CHANNEL_RING_BYTES) {
        source->garbled++;
        source->ring_read = published;
    }
    while (source->ring_read != published && entry_ready(source)) {
        uint32_t bytes = ring_entry_copy(&source->entry, section(source, CHANNEL_RING_AT),
                                         CHANNEL_RING_BYTES, source->ring_read, published);
        if (bytes && entry_read(source, bytes)) {
            entry_clear(source, bytes);
            source->ring_read += bytes;
        } else { /* where the next begins cannot be known either */
            source->garbled++;
            memset((unsigned char *)source->channel + CHANNEL_RING_AT, 0, CHANNEL_RING_BYTES);
            source->ring_read = published;
        }
    }
    __atomic_store_n(&source->channel->ring_tail, source->ring_read, __ATOMIC_RELEASE);
}

/* ---- all */

/* What was read of the section is nobody's any more: its pages are given back, which were the process's memory as
 * well. Its first word is looked at again. */
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

/* Units lie in the mappings of their moment, to which marks among them tell how far to read. Whatever was
 * translated before the mappings that are known now is published by now: both are done under one lock. Walks are
 * published after the units that they name. */
static void units_follow(struct source *source)
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
    units_follow(source);
    ring_read(source, ring);
    source_read_trace(source);
    return source->ring_read - before;
}

uint64_t source_read_trace(struct source *source)
{
    if (!source->trace || !trace_look(&source->trace->trace))
        return 0;
    units_follow(source);
    return trace_read(&source->trace->trace);
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

uint64_t source_count(struct source *source, bool close_batch, bool last)
{
    threads_read(source);
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
