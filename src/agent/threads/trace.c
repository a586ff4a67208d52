#include "agent/threads/trace.h"

#include "agent/base/process.h"
#include "agent/base/thread.h"
#include "agent/channel/connect.h"
#include "walk/base/sys.h"

#include <linux/futex.h>
#include <linux/time.h>
#include <sys/syscall.h>

enum { WAIT_NS = 100 * 1000 * 1000 };

static struct wire_trace *ring_of(const struct thread *thread)
{
    return (struct wire_trace *)(void *)thread->context->counters;
}

/* Sleeps until the reader has left at most so many bytes unread. */
static bool room_await(struct wire_trace *ring, uint64_t unread)
{
    struct __kernel_timespec moment = {.tv_nsec = WAIT_NS};
    for (;;) {
        uint32_t word = __atomic_load_n(&ring->tail_word, __ATOMIC_ACQUIRE);
        __atomic_store_n(&ring->waiting, 1, __ATOMIC_SEQ_CST);
        if (ring->head - __atomic_load_n(&ring->tail, __ATOMIC_SEQ_CST) <= unread)
            break;
        long woken =
            sys6(SYS_futex, (long)&ring->tail_word, FUTEX_WAIT, (long)word, (long)&moment, 0, 0);
        if (woken == -110 /* ETIMEDOUT */ && !connect_tool_lives())
            return false;
    }
    __atomic_store_n(&ring->waiting, 0, __ATOMIC_RELAXED);
    return true;
}

/* Room for an entry in one piece; NULL: the tool is gone. */
static struct event_trace *entry_take(struct wire_trace *ring, uint32_t bytes)
{
    uint8_t *data = (uint8_t *)ring + TRACE_HEADER_BYTES;
    uint32_t at = (uint32_t)(ring->head & (TRACE_BYTES - 1));
    uint32_t behind = (uint32_t)TRACE_BYTES - at, pad = behind < bytes ? behind : 0;
    if (ring->head - __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE) >
            (uint64_t)TRACE_BYTES - pad - bytes &&
        !room_await(ring, (uint64_t)TRACE_BYTES - pad - bytes))
        return NULL;
    if (pad) {
        uint32_t *filler = (uint32_t *)(void *)(data + at);
        filler[0] = EVENT_PAD;
        filler[1] = pad;
        ring->fresh += pad;
        __atomic_store_n(&ring->head, ring->head + pad, __ATOMIC_RELEASE);
        at = 0;
    }
    return (struct event_trace *)(void *)(data + at);
}

static uint32_t records_most(void)
{
    return agent.cache->events & EVENTS_PAYLOAD ? TRACE_PAYLOAD_RECORDS : TRACE_RECORDS;
}

static uint32_t *records_of(const struct thread *thread)
{
    return &thread->context->records[CONTEXT_RECORDS - records_most()];
}

/* Empties them: what comes now begins at `pc`, and can be read whatever becomes of us. */
static void records_reset(struct thread *thread, uint32_t used, uint64_t pc)
{
    struct wire_trace *ring = ring_of(thread);
    __builtin_memset(records_of(thread), 0, 4 * (uint64_t)used);
    thread->context->record_at = -4 * (int64_t)records_most();
    thread->context->payload_at = TRACE_PAYLOAD_AT;
    ring->fresh_pc = pc;
    __atomic_store_n(&ring->fresh, ring->head, __ATOMIC_RELEASE);
}

void trace_begin(struct thread *thread)
{
    struct wire_trace *ring = ring_of(thread);
    if (ring->head) /* of the thread that had the slot before; if nobody reads, the first to pour
                       will know */
        room_await(ring, 0);
    records_reset(thread, records_most(), thread->context->pc);
    ring->tid = thread->tid;
    __atomic_store_n(&ring->closed, 0, __ATOMIC_RELEASE);
}

bool trace_pour(struct thread *thread, uint64_t end_pc, uint64_t next_pc)
{
    struct wire_trace *ring = ring_of(thread);
    uint32_t n = (uint32_t)(records_most() + thread->context->record_at / 4);
    uint64_t words = (thread->context->payload_at - TRACE_PAYLOAD_AT) / 8;
    uint32_t before = (uint32_t)(sizeof(struct event_trace) + 4 * n + 7) & ~7u;
    uint32_t bytes = before + 8 * (uint32_t)words;
    if (n == 0) {
        ring->fresh_pc = next_pc;
        return true;
    }
    struct event_trace *entry = entry_take(ring, bytes);
    if (!entry)
        return false;
    *entry = (struct event_trace){.kind = EVENT_TRACE,
                                  .bytes = bytes,
                                  .tsc = sys_tsc(),
                                  .start_pc = ring->fresh_pc,
                                  .end_pc = end_pc,
                                  .n_exits = n,
                                  .n_payload = words,
                                  .stop = LOSS_N};
    uint32_t *exits = (uint32_t *)(entry + 1);
    __builtin_memcpy(exits, records_of(thread), 4 * (uint64_t)n);
    if (n & 1)
        exits[n] = 0;
    __builtin_memcpy((uint8_t *)entry + before, (uint8_t *)ring + TRACE_PAYLOAD_AT, 8 * words);
    __atomic_store_n(&ring->head, ring->head + bytes, __ATOMIC_RELEASE);
    records_reset(thread, n, next_pc);
    return true;
}

void trace_end(struct thread *thread)
{
    __atomic_store_n(&ring_of(thread)->closed, 1, __ATOMIC_RELEASE);
}
