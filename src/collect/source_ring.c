#include "collect/source_ring.h"

#include "collect/source.h"
#include "wire/stack_words.h"
#include "collect/kernel_part.h"

#include <string.h>

/* ---- walks */

/* Where the parts of a walk lie, behind its head. */
struct walk_parts {
    uint64_t exits_at, words_at, python_at, stack_at;
};

static bool walk_parts(const struct event_walk *walk, uint32_t bytes, struct walk_parts *ret)
{
    const uint64_t registers = sizeof(uint64_t[STACK_COPY_REGISTERS]);
    if (walk->n_exits > bytes / sizeof(uint32_t) || walk->n_lead > bytes / sizeof(uint32_t) ||
        walk->n_payload > bytes / sizeof(uint64_t) || walk->n_python > PYTHON_FRAMES_MAX)
        return false;
    uint64_t lead = sizeof(uint32_t) * (uint64_t)walk->n_lead;
    uint64_t exits = sizeof(uint32_t) * (uint64_t)walk->n_exits;
    ret->exits_at = sizeof *walk + lead;
    ret->words_at = (ret->exits_at + exits + 7) & ~UINT64_C(7);
    ret->python_at = ret->words_at + sizeof(uint64_t) * (uint64_t)walk->n_payload;
    ret->stack_at = ret->python_at + sizeof(struct python_frame) * (uint64_t)walk->n_python;
    return ret->stack_at + (walk->stack_bytes ? registers : 0) <= bytes &&
           walk->stack_bytes % 8 == 0 && walk->stack_bytes <= STACK_COPY_DEEP;
}

static const void *entry_at(const struct source *source, uint64_t at)
{
    return source->entry.at + at;
}

static bool stack_read(struct source *source, const struct event_walk *walk,
                       const struct walk_parts *parts, uint32_t bytes,
                       struct stack_sample *ret_stack)
{
    uint64_t at = parts->stack_at;
    uint64_t words_at = at + sizeof(uint64_t[STACK_COPY_REGISTERS]);
    vec_reserve(&source->stack, STACK_COPY_DEEP / 8);
    *ret_stack = (struct stack_sample){.mask = STACK_REGISTERS_MASK,
                                       .registers = entry_at(source, at),
                                       .bytes = (const uint8_t *)source->stack.at,
                                       .n_bytes = walk->stack_bytes,
                                       .python = entry_at(source, parts->python_at),
                                       .n_python = walk->n_python};
    return stack_words_decode(entry_at(source, words_at), (bytes - words_at) / 8, source->stack.at,
                              walk->stack_bytes / 8);
}

/* So that not more is copied than is needed. A thread that has just taken over another's slot may
 * get what was meant for that one: then its next stack is cut, and all is copied again. */
static void stack_begin_tell(struct source *source, const struct event_walk *walk, uint64_t begin)
{
    struct wire_thread *threads = channel_threads(source->channel);
    if (walk->slot < CHANNEL_THREADS && threads[walk->slot].tid == walk->tid)
        __atomic_store_n(&threads[walk->slot].stack_begin, begin, __ATOMIC_RELAXED);
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
    struct stack_sample stack;
    if (walk.stack_bytes && !stack_read(source, &walk, &parts, bytes, &stack))
        return false;
    if (!source->decode)
        return true;
    uint64_t stack_begin = decode_walk(
        source->decode, &(struct walk_entry){.walk = &walk,
                                             .exits = entry_at(source, parts.exits_at),
                                             .words = entry_at(source, parts.words_at),
                                             .stack = walk.stack_bytes ? &stack : NULL});
    if (walk.stack_bytes)
        stack_begin_tell(source, &walk, stack_begin);
    return true;
}

/* ---- other entries */

/* What is known of a thread when it ends. */
static bool thread_read(struct source *source, uint32_t bytes)
{
    struct event_thread event;
    if (bytes != sizeof event)
        return false;
    memcpy(&event, source->entry.at, sizeof event);
    struct kernel_part *kernel = source->session->kernel;
    if (kernel)
        kernel_part_claim(kernel, source->mappings.pid, event.thread.tid, event.thread.start_tsc);
    source_tell(source, &event.thread);
    crew_end(&source->crew, (uint32_t)event.thread.tid);
    return true;
}

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

static bool python_read_code(struct source *source, uint32_t bytes)
{
    if (bytes < sizeof(struct event_python))
        return false;
    return !source->decode ||
           interrupts_python(&source->decode->interrupts, entry_at(source, 0), bytes);
}

/* False: it makes no sense. */
static bool entry_read(struct source *source, uint32_t bytes)
{
    uint32_t kind;
    memcpy(&kind, source->entry.at, sizeof kind);
    switch (kind) {
    case EVENT_PAD: return true;
    case EVENT_WALK: return walk_read(source, bytes);
    case EVENT_THREAD: return thread_read(source, bytes);
    case EVENT_MESSAGES: return messages_read(source, bytes);
    case EVENT_PYTHON: return python_read_code(source, bytes);
    default: return false;
    }
}

/* ---- the ring */

static unsigned char *ring_of(const struct source *source)
{
    return (unsigned char *)source->channel + CHANNEL_RING_AT;
}

/* Whether the entry at the reading position is whole: its kind is written last. */
static bool entry_ready(const struct source *source)
{
    uint64_t at = source->ring_read & (CHANNEL_RING_BYTES - 1);
    const void *kind = ring_of(source) + at;
    return at % 8 || __atomic_load_n((const uint32_t *)kind, __ATOMIC_ACQUIRE) != 0;
}

/* What was read is left as zeroes, for the next round of the ring. Of a pad only its head was
 * written. */
static void entry_clear(struct source *source, uint32_t bytes)
{
    uint64_t at = source->ring_read & (CHANNEL_RING_BYTES - 1);
    uint32_t kind;
    memcpy(&kind, source->entry.at, sizeof kind);
    memset(ring_of(source) + at, 0, kind == EVENT_PAD ? sizeof(uint32_t[2]) : bytes);
}

void source_ring_read(struct source *source, uint64_t published)
{
    if (published - source->ring_read > CHANNEL_RING_BYTES) {
        source->garbled++;
        source->ring_read = published;
    }
    while (source->ring_read != published && entry_ready(source)) {
        uint32_t bytes = ring_entry_copy(&source->entry, ring_of(source), CHANNEL_RING_BYTES,
                                         source->ring_read, published);
        if (bytes && entry_read(source, bytes)) {
            entry_clear(source, bytes);
            source->ring_read += bytes;
        } else { /* where the next begins cannot be known either */
            source->garbled++;
            memset(ring_of(source), 0, CHANNEL_RING_BYTES);
            source->ring_read = published;
        }
    }
    __atomic_store_n(&source->channel->ring_tail, source->ring_read, __ATOMIC_RELEASE);
}
