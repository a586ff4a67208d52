#include "collect/exact/trace.h"

#include "base/clock.h"
#include "values/payloads.h"
#include "collect/channel/share.h"

#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

void trace_init(struct trace *trace, const struct share *share, uint32_t index,
                struct channel *channel, struct units *units)
{
    *trace = (struct trace){.share = share, .index = index, .channel = channel, .units = units};
}

void trace_release(struct trace *trace)
{
    for (uint32_t i = 0; i < CHANNEL_THREADS; i++)
        if (trace->rings[i].shared)
            share_unmap_bank(trace->rings[i].shared);
    vec_release(&trace->entry);
}

/* ---- consumers */

static void ring_open(struct trace *trace, struct trace_ring *ring, int32_t tid)
{
    ring->open = true;
    ring->tid = tid;
    ring->thread = trace->threads++;
    ring->end_pc = 0;
    ring->stop = LOSS_N;
    for (uint32_t i = 0; i < trace->n_consumers; i++)
        trace->consumers[i]->kind->begin(trace->consumers[i], ring->thread, tid);
}

static void ring_close(struct trace *trace, struct trace_ring *ring)
{
    if (!ring->open)
        return;
    ring->open = false;
    for (uint32_t i = 0; i < trace->n_consumers; i++)
        trace->consumers[i]->kind->end(trace->consumers[i], ring->thread, ring->stop);
}

/* Four at a time. All ids that are known are below UNITS_EXITS_MAX: as signed numbers they are not
 * negative. */
typedef int32_t four __attribute__((vector_size(16)));

static bool exits_known(const struct trace *trace, const uint32_t *exits, uint32_t n)
{
    four most = {0}, any = {0};
    uint32_t i = 0;
    for (; i + 4 <= n; i += 4) {
        four ids;
        memcpy(&ids, &exits[i], sizeof ids);
        four more = ids > most;
        most = (ids & more) | (most & ~more);
        any |= ids;
    }
    const uint32_t known = (uint32_t)trace->units->owner.n;
    bool good = true;
    for (uint32_t k = 0; k < 4; k++)
        good = good && any[k] >= 0 && (!i || (uint32_t)most[k] < known);
    for (; i < n; i++)
        good = good && exits[i] < known;
    return good;
}

static void hand_over(struct trace *trace, struct trace_ring *ring, struct passage *passage)
{
    passage->thread = ring->thread;
    passage->joined = passage->start_pc == ring->end_pc;
    if (!exits_known(trace, passage->exits, passage->n)) {
        trace->garbled++;
        return;
    }
    for (uint32_t i = 0; i < trace->n_consumers; i++)
        trace->consumers[i]->kind->exits(trace->consumers[i], passage);
    ring->end_pc = passage->end_pc;
}

/* ---- one ring */

/* The program may go on: it waits for room when it finds none. */
static void ring_advance(struct trace_ring *ring, uint64_t bytes)
{
    struct wire_trace *shared = ring->shared;
    ring->read += bytes;
    __atomic_store_n(&shared->tail, ring->read, __ATOMIC_RELEASE);
    __atomic_fetch_add(&shared->tail_word, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&shared->waiting, __ATOMIC_SEQ_CST))
        syscall(SYS_futex, &shared->tail_word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* False: it makes no sense. */
static bool entry_read(struct trace *trace, struct trace_ring *ring, uint32_t bytes)
{
    struct event_trace event;
    memcpy(&event, trace->entry.at, sizeof(uint32_t));
    if (event.kind == EVENT_PAD)
        return true;
    if (event.kind != EVENT_TRACE || bytes < sizeof event)
        return false;
    memcpy(&event, trace->entry.at, sizeof event);
    uint64_t room = bytes - sizeof event;
    if (event.n_exits > room / sizeof(uint32_t))
        return false;
    uint64_t exits_bytes = (sizeof(uint32_t) * (uint64_t)event.n_exits + 7) & ~UINT64_C(7);
    if (exits_bytes > room || event.n_payload > (room - exits_bytes) / sizeof(uint64_t))
        return false;
    const unsigned char *exits = trace->entry.at + sizeof event;
    struct passage passage = {.tsc = event.tsc,
                              .start_pc = event.start_pc,
                              .end_pc = event.end_pc,
                              .n = event.n_exits,
                              .exits = (const uint32_t *)(const void *)exits,
                              .n_payload = event.n_payload,
                              .payload = (const uint64_t *)(const void *)(exits + exits_bytes)};
    if (passage.n)
        hand_over(trace, ring, &passage);
    ring->stop = event.stop;
    return true;
}

static void ring_break(struct trace *trace, struct trace_ring *ring)
{
    trace->garbled++;
    ring->broken = true;
}

static uint64_t ring_read(struct trace *trace, struct trace_ring *ring, uint64_t published,
                          uint64_t until_ns)
{
    uint64_t before = ring->read;
    if (published - ring->read > TRACE_BYTES)
        ring_break(trace, ring);
    while (!ring->broken && ring->read != published) {
        uint32_t bytes =
            ring_entry_copy(&trace->entry, (const unsigned char *)ring->shared + TRACE_HEADER_BYTES,
                            TRACE_BYTES, ring->read, published);
        if (bytes && entry_read(trace, ring, bytes))
            ring_advance(ring, bytes);
        else
            ring_break(trace, ring);
        if (clock_ns(CLOCK_MONOTONIC) >= until_ns)
            break;
    }
    if (ring->broken && ring->read != published)
        ring_advance(ring, published - ring->read);
    return ring->read - before;
}

/* A thread that takes a slot over waits until all that the one before left has been read. */
static void ring_follow(struct trace *trace, struct trace_ring *ring, uint64_t published)
{
    int32_t tid = __atomic_load_n(&ring->shared->tid, __ATOMIC_ACQUIRE);
    if (published == ring->read || (ring->open && tid == ring->tid))
        return;
    ring_close(trace, ring);
    ring_open(trace, ring, tid);
}

/* ---- all of them */

/* One that cannot be mapped hides those behind it. */
static uint32_t rings_used(const struct trace *trace)
{
    uint32_t n = 0;
    while (n < CHANNEL_THREADS && trace->rings[n].shared)
        n++;
    return n;
}

bool trace_look(struct trace *trace)
{
    if (trace->over)
        return trace_left(trace);
    uint64_t slots = share_load(&trace->channel->n_threads);
    bool any = false;
    for (uint32_t i = 0; i < slots && i < CHANNEL_THREADS; i++) {
        struct trace_ring *ring = &trace->rings[i];
        if (!ring->shared)
            ring->shared = share_map_bank(trace->share, trace->index, i);
        if (!ring->shared)
            continue;
        trace->heads[i] = share_load(&ring->shared->head);
        any = any || trace->heads[i] != ring->read || ring->open;
    }
    return any;
}

static uint64_t ring_visit(struct trace *trace, uint32_t i, uint64_t until_ns)
{
    struct trace_ring *ring = &trace->rings[i];
    uint32_t closed = __atomic_load_n(&ring->shared->closed, __ATOMIC_ACQUIRE);
    ring_follow(trace, ring, trace->heads[i]);
    uint64_t bytes = ring_read(trace, ring, trace->heads[i], until_ns);
    if (closed && ring->read == share_load(&ring->shared->head))
        ring_close(trace, ring);
    return bytes;
}

uint64_t trace_read(struct trace *trace, uint64_t until_ns)
{
    uint64_t bytes = 0;
    uint32_t n = rings_used(trace), first = trace->next;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = (first + i) % n;
        uint64_t more = ring_visit(trace, at, until_ns);
        bytes += more;
        trace->next = (at + 1) % n;
        if (more && clock_ns(CLOCK_MONOTONIC) >= until_ns)
            break;
    }
    return bytes;
}

void trace_over(struct trace *trace)
{
    trace_look(trace);
    trace->over = true;
}

uint64_t trace_left(const struct trace *trace)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0, n = rings_used(trace); i < n; i++)
        bytes += trace->heads[i] - trace->rings[i].read;
    return bytes;
}

/* Behind the exits, which were copied: the words that they recorded. */
static void payload_finish(struct trace *trace, const struct trace_ring *ring,
                           struct passage *passage)
{
    uint64_t at = (sizeof(uint32_t) * (uint64_t)passage->n + 7) & ~UINT64_C(7);
    uint64_t words = payloads_words(trace->units, passage->exits, passage->n);
    if (words > TRACE_PAYLOAD_BYTES / sizeof(uint64_t))
        return;
    vec_reserve(&trace->entry, at + words * sizeof(uint64_t));
    memcpy(trace->entry.at + at, (const unsigned char *)ring->shared + TRACE_PAYLOAD_AT,
           words * sizeof(uint64_t));
    passage->exits = (const uint32_t *)(const void *)trace->entry.at;
    passage->n_payload = words;
    passage->payload = (const uint64_t *)(const void *)(trace->entry.at + at);
}

/* What a thread recorded and did not live to hand over. */
static void ring_finish(struct trace *trace, struct trace_ring *ring)
{
    const struct wire_trace *shared = ring->shared;
    uint32_t most = trace->payload ? TRACE_PAYLOAD_RECORDS : TRACE_RECORDS;
    const uint32_t *records =
        (const uint32_t *)(const void *)((const unsigned char *)shared + TRACE_RECORDS_AT) +
        (TRACE_RECORDS - most);
    bool closed = __atomic_load_n(&shared->closed, __ATOMIC_ACQUIRE);
    if (ring->broken || closed || share_load(&shared->fresh) != ring->read)
        return;
    ring_follow(trace, ring, ring->read + 1);
    uint32_t n = 0;
    vec_reserve(&trace->entry, most * sizeof *records);
    uint32_t *exits = (uint32_t *)(void *)trace->entry.at;
    while (n < most && (exits[n] = __atomic_load_n(&records[n], __ATOMIC_RELAXED)) != 0)
        n++;
    struct passage passage = {.start_pc = share_load(&shared->fresh_pc), .n = n, .exits = exits};
    if (n && trace->payload)
        payload_finish(trace, ring, &passage);
    if (n)
        hand_over(trace, ring, &passage);
}

void trace_end(struct trace *trace)
{
    for (uint32_t i = 0; i < CHANNEL_THREADS; i++) {
        struct trace_ring *ring = &trace->rings[i];
        if (ring->shared && __atomic_load_n(&ring->shared->tid, __ATOMIC_ACQUIRE))
            ring_finish(trace, ring);
        ring_close(trace, ring);
    }
}
