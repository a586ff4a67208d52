#include "agent/threads/stream.h"

#include "agent/base/process.h"
#include "agent/base/ring.h"
#include "agent/base/thread.h"
#include "walk/base/sys.h"
#include "wire/only.h"

#include <sys/mman.h>
#include <sys/syscall.h>

enum {
    LOOKED_AT_EVERY = 16, /* windows */
    TOLD_EVERY = 64 /* windows, of counters behind a compressor: a process may end at any time */
};

bool stream_open(struct thread *thread)
{
    struct design design;
    size_t at;
    if (design_parse(&design, agent.options.compress, &at))
        return false;
    long memory = sys6(SYS_mmap, 0, sizeof(struct thread_stream), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (sys_failed(memory))
        return false;
    struct thread_stream *stream = (struct thread_stream *)memory;
    compressor_init(&stream->compressor, &design, thread_random(thread));
    thread->stream = stream;
    return true;
}

void stream_close(struct thread *thread)
{
    if (thread->stream)
        sys3(SYS_munmap, (long)thread->stream, sizeof *thread->stream, 0);
    thread->stream = NULL;
}

/* ---- messages */

static void publish(struct thread *thread, size_t n)
{
    struct thread_stream *stream = thread->stream;
    if (!n)
        return;
    if (stream->compressor.design.converge)
        habits_follow(&stream->habits, stream->messages, n);
    struct event_messages event = {.tid = thread->tid, .n = (uint32_t)n};
    event.bytes = (uint32_t)(sizeof event + n * sizeof(struct message));
    struct event_messages *out = ring_take(&agent.ring, event.bytes);
    if (!out) {
        agent_lose(LOSS_dropped);
        return;
    }
    *out = event;
    struct message *to = (struct message *)(void *)(out + 1);
    for (size_t i = 0; i < n; i++)
        to[i] = stream->messages[i];
    agent_add(&agent.channel->stream_told, n);
    ring_publish(out, EVENT_MESSAGES);
}

static void take(struct thread *thread)
{
    struct thread_stream *stream = thread->stream;
    size_t n = stream->n;
    stream->n = 0;
    agent_add(&agent.channel->stream_taken, n);
    publish(thread, compressor_take(&stream->compressor, stream->tuples, n, stream->messages));
}

void stream_end(struct thread *thread)
{
    take(thread);
    publish(thread, compressor_flush(&thread->stream->compressor, thread->stream->messages));
}

/* ---- tuples */

static inline void push(struct thread *thread, enum tuple_kind kind, uint64_t place, uint64_t value)
{
    struct thread_stream *stream = thread->stream;
    stream->tuples[stream->n++] = (struct tuple){tuple_place(kind, place), value};
    if (stream->n == STREAM_TUPLES)
        take(thread);
}

/* What an exit has recorded. `settled`: values of places that have converged are left out. */
static void words_push(struct thread *thread, const struct exit *exit, const uint64_t *words,
                       bool settled)
{
    const uint8_t *kinds = &agent.cache->words[exit->words_at];
    uint64_t first = agent.cache->superblocks[exit->superblock].first_exit, left_out = 0;
    for (uint32_t i = 0; i < exit->payload / sizeof *words; i++) {
        uint64_t place = first << MESSAGE_WORD_BITS | i;
        if (kinds[i] == PAYLOAD_LATENCY && words[i])
            push(thread, TUPLE_LATENCY, place, words[i]);
        if (!kinds[i] || kinds[i] == PAYLOAD_LATENCY)
            continue;
        if (settled && habits_converged(&thread->stream->habits, tuple_place(TUPLE_VALUE, place)))
            left_out++;
        else
            push(thread, TUPLE_VALUE, place, words[i]);
    }
    if (left_out)
        agent_add(&agent.channel->stream_settled, left_out);
}

/* The target of an indirect exit: the window's next exit belongs to that superblock. */
static uint64_t went_to(const struct exit *exit, const struct exit *next)
{
    return exit->target || !next ? 0 : agent.cache->superblocks[next->superblock].first_exit;
}

/* True if any code up to the exit may be kept: a superblock follows jumps and calls. */
static bool is_wanted(const struct wire_only *only, const struct exit *exit, uint32_t id)
{
    const struct copied_block *superblock = &agent.cache->superblocks[exit->superblock];
    bool wanted = wire_only_wants(only, superblock->pc);
    for (uint32_t i = superblock->first_exit; i < id && !wanted; i++)
        wanted = wire_only_wants(only, cache_exit(agent.cache, i)->target);
    return wanted;
}

void stream_window(struct thread *thread, const uint32_t *exits, uint32_t n)
{
    struct thread_stream *stream = thread->stream;
    const uint64_t *words = context_words(thread->context);
    const struct wire_only *only = channel_only(agent.channel);
    bool settled = ++stream->windows % LOOKED_AT_EVERY && stream->compressor.design.converge;
    for (uint32_t i = 0; i < n; i++) {
        const struct exit *exit = cache_exit(agent.cache, exits[i]);
        const struct exit *next = i + 1 < n ? cache_exit(agent.cache, exits[i + 1]) : NULL;
        if (is_wanted(only, exit, exits[i])) {
            push(thread, TUPLE_EXIT, exits[i], went_to(exit, next));
            words_push(thread, exit, words, settled);
        }
        words += exit->payload / sizeof *words;
    }
    take(thread);
    if (stream->windows % TOLD_EVERY == 0)
        publish(thread, compressor_flush(&stream->compressor, stream->messages));
}
