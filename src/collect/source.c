#include "collect/source.h"

#include "base/memory.h"
#include "collect/exact/call_tree.h"
#include "collect/exact/path_plans.h"
#include "collect/exact/plans.h"
#include "collect/kernel_part.h"
#include "collect/python_seek.h"
#include "collect/target/cpu_times.h"
#include "process/selection_wire.h"
#include "collect/channel/figures.h"
#include "collect/channel/share.h"
#include "collect/source_ring.h"

#include <limits.h>
#include <string.h>
#include <sys/mman.h>

void source_init(struct source *source, const struct recording_session *session, uint32_t index,
                 struct channel *channel, int pid)
{
    const enum record_mode mode = session->options->record.mode;
    *source = (struct source){.session = session, .channel = channel, .profile = session->profile};
    mappings_init(&source->mappings, session->profile, pid);
    source->mappings.files = session->files;
    source->mappings.only = session->options->only;
    units_init(&source->units, &source->mappings);
    crew_init(&source->crew, mode == RECORD_SAMPLED);
    if (mode == RECORD_SAMPLED) {
        source->decode = mem_alloc(sizeof *source->decode);
        decode_init(source->decode, session, channel, &source->units, &source->crew,
                    &source->payloads);
        return;
    }
    source->exact = mem_alloc(sizeof *source->exact);
    exact_init(source->exact, &source->units, session->profile);
    if (mode == RECORD_EXACT_TRACE) {
        source->traced = mem_alloc(sizeof *source->traced);
        traced_init(source->traced, session, index, channel, &source->units, &source->payloads);
    } else {
        source->exact->loose = true;
        source->banks = mem_alloc(sizeof *source->banks);
        banks_init(source->banks, session->share, index, channel);
    }
}

void source_release(struct source *source)
{
    if (source->decode)
        decode_release(source->decode);
    if (source->exact)
        exact_release(source->exact);
    if (source->banks)
        banks_release(source->banks);
    if (source->traced)
        traced_release(source->traced);
    mem_free(source->decode);
    mem_free(source->exact);
    mem_free(source->banks);
    mem_free(source->traced);
    mappings_release(&source->mappings);
    units_release(&source->units);
    crew_release(&source->crew);
    vec_release(&source->entry);
    vec_release(&source->stack);
    *source = (struct source){0};
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
    if (source->decode)
        python_seek(source->channel, &source->mappings, &map, path);
    const struct plans *plans = source->session->options->plans;
    if (plans) {
        struct place start = mappings_place(&source->mappings, (struct avma){map.start});
        plans_map(plans, source->channel, &map, path, map.start - start.address.v);
    }
    if (source->session->paths)
        path_plans_map(source->session->paths, source->channel, &source->mappings, &map);
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
    if (source->session->options->plans || source->session->paths)
        plans_answer(source->channel, source->maps_broken ? bytes : source->maps_read);
}

static void only_tell(struct source *source)
{
    struct mappings *mappings = &source->mappings;
    if (!mappings->only || !source->decode || source->only_told == mappings->changes)
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
    if (source->decode)
        source->decode->weighing.tsc_hz = share_load(&source->channel->tsc_hz);
    source_read_units(source);
    source_ring_read(source, ring);
    if (source->decode)
        decode_counters(source->decode);
    return source->ring_read - before;
}

uint64_t source_read_trace(struct source *source, uint64_t until_ns)
{
    if (!source->traced || !trace_look(&source->traced->trace))
        return 0;
    source_read_units(source);
    return trace_read(&source->traced->trace, until_ns);
}

/* Those that have ended are in the ring. */
void source_claim(struct source *source)
{
    struct kernel_part *kernel = source->session->kernel;
    uint64_t n = share_load(&source->channel->n_threads);
    for (uint64_t i = 0; kernel && i < n && i < CHANNEL_THREADS; i++) {
        const struct wire_thread *slot = &channel_threads(source->channel)[i];
        int32_t tid = __atomic_load_n(&slot->tid, __ATOMIC_ACQUIRE);
        uint64_t start_tsc = share_load(&slot->start_tsc);
        if (tid && tid == __atomic_load_n(&slot->tid, __ATOMIC_RELAXED))
            kernel_part_claim(kernel, source->mappings.pid, tid, start_tsc);
    }
}

void source_tell(struct source *source, const struct wire_thread *slot)
{
    uint32_t pid = (uint32_t)source->mappings.pid;
    uint64_t told = crew_tell(&source->crew, slot, pid, source->profile);
    if (source->session->kernel)
        kernel_part_told(source->session->kernel, pid, slot, told);
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
            source_tell(source, &thread);
    }
}

static void refresh(const struct exact_process *process)
{
    source_read_units(process->closure);
}

struct exact_process source_exact_process(struct source *source)
{
    return (struct exact_process){.channel = source->channel,
                                  .banks = source->banks,
                                  .units = &source->units,
                                  .mappings = &source->mappings,
                                  .exact = source->exact,
                                  .profile = source->profile,
                                  .refresh = refresh,
                                  .closure = source};
}

/* Of a process that has ended. */
static void plans_count(struct source *source)
{
    struct plans *plans = source->session->options->plans;
    struct path_plans *paths = source->session->paths;
    struct exact_process process = source_exact_process(source);
    if (plans)
        plans_take(plans, source->banks, &source->units.paths);
    if (paths && paths->contexts)
        source->garbled += call_tree_take(paths, &process);
    if (paths && paths->paths)
        path_plans_take(paths, &process);
}

/* What no code can have counted, the program has written there. */
static void counters_sift(struct source *source, uint64_t passed_ns)
{
    struct banks *banks = source->banks;
    for (size_t i = 0; i < banks->sum.n; i++)
        banks->sum.at[i] = figures_count(banks->sum.at[i], passed_ns, false, &source->refused);
}

static void counters_read(struct source *source, uint64_t passed_ns, bool last)
{
    const struct banks *banks = source->banks;
    if (!banks_read(source->banks, source->units.counters, last))
        return;
    source->refused = 0; /* the same ones are refused at each reading */
    counters_sift(source, passed_ns);
    if (last)
        plans_count(source);
    else /* cuts of what is counted */
        source_read_units(source);
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
    source->outlives = source->outlives || state == CHANNEL_LIVE;
    source_read_units(source);
}

void source_trace_over(struct source *source)
{
    if (!source->traced)
        return;
    uint32_t state = __atomic_load_n(&source->channel->state, __ATOMIC_ACQUIRE);
    source->outlives = state == CHANNEL_LIVE;
    trace_over(&source->traced->trace);
}

uint64_t source_count(struct source *source, uint64_t passed_ns, bool close_batch, bool last)
{
    threads_read(source);
    if (source->banks && last)
        last_look(source);
    if (source->traced)
        traced_give(source->traced, source->exact, source->profile, last);
    else if (source->banks)
        counters_read(source, passed_ns, last);
    else if (close_batch)
        decode_flush(source->decode, last);
    uint64_t before = cpu_times_own_ns();
    if (source->decode && last)
        decode_end(source->decode);
    return cpu_times_own_ns() - before;
}

uint64_t source_garbled(const struct source *source)
{
    return source->garbled + source->refused + source->units.garbled +
           (source->decode ? decode_garbled(source->decode) : 0) +
           (source->traced ? source->traced->trace.garbled : 0);
}
