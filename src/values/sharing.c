#include "values/sharing.h"

#include "base/memory.h"

enum { LINE_BYTES = 64 };
static const uint64_t SOON_TICKS = 1250000000; /* if nobody says how fast they are */

void sharing_release(struct sharing *sharing)
{
    mem_free(sharing->lines);
    sharing->lines = NULL;
}

static uint64_t mask_of(const struct sharing_access *access)
{
    uint64_t first = access->address % LINE_BYTES, room = LINE_BYTES - first;
    uint64_t bytes = access->bytes < room ? access->bytes : room;
    return (bytes >= LINE_BYTES ? UINT64_MAX : (UINT64_C(1) << bytes) - 1) << first;
}

static struct sharing_line *line_of(struct sharing *sharing, uint64_t address)
{
    uint64_t line = address / LINE_BYTES;
    struct sharing_line *at =
        &sharing->lines[line * UINT64_C(0x9e3779b97f4a7c15) >> 32 & (SHARING_LINES - 1)];
    if (at->line != line)
        *at = (struct sharing_line){.line = line};
    return at;
}

/* The thread's own; of those that have none, it takes that of whoever was there longest ago. */
static struct sharing_thread *thread_of(struct sharing_line *line, int32_t tid)
{
    struct sharing_thread *oldest = &line->threads[0];
    for (int i = 0; i < SHARING_THREADS; i++) {
        if (line->threads[i].tid == tid)
            return &line->threads[i];
        if (line->threads[i].tsc < oldest->tsc)
            oldest = &line->threads[i];
    }
    *oldest = (struct sharing_thread){.tid = tid};
    return oldest;
}

/* What the access and another thread's doings are to each other. */
static enum conflict_type relation(const struct sharing_access *access, uint64_t mask,
                                   const struct sharing_thread *other)
{
    if (!access->writes && !other->written)
        return CONFLICT_EXECUTED;
    if (!(mask & other->touched))
        return CONFLICT_FALSE_SHARING;
    return (access->writes || (mask & other->written)) ? CONFLICT_SHARING : CONFLICT_EXECUTED;
}

static void take_down(struct sharing_thread *own, const struct sharing_access *access,
                      uint64_t mask, uint64_t soon)
{
    if (access->tsc - own->tsc > soon) {
        own->touched = own->written = 0;
        own->since = access->tsc;
    }
    if (access->writes || !own->written)
        own->place = access->place;
    own->touched |= mask;
    own->written |= access->writes ? mask : 0;
    own->tsc = access->tsc;
}

/* Ticks from when the thread came back to the line soon each time. */
static uint64_t ticks_apart(const struct sharing_thread *thread, uint64_t tsc)
{
    if (tsc > thread->tsc)
        return tsc - thread->tsc;
    return tsc < thread->since ? thread->since - tsc : 0;
}

enum conflict_type sharing_look(struct sharing *sharing, const struct sharing_access *access,
                                uint32_t *ret_other)
{
    if (!sharing->tid)
        sharing->tid = access->tid;
    if (sharing->tid == access->tid && !sharing->lines)
        return CONFLICT_EXECUTED;
    if (!sharing->lines)
        sharing->lines = mem_alloc(SHARING_LINES * sizeof *sharing->lines);
    uint64_t soon = sharing->soon ? sharing->soon : SOON_TICKS, mask = mask_of(access);
    struct sharing_line *line = line_of(sharing, access->address);
    take_down(thread_of(line, access->tid), access, mask, soon);
    for (int i = 0; i < SHARING_THREADS; i++) {
        struct sharing_thread *other = &line->threads[i];
        if (!other->tid || other->tid == access->tid || other->told == access->window ||
            ticks_apart(other, access->tsc) > soon)
            continue;
        enum conflict_type type = relation(access, mask, other);
        if (type == CONFLICT_EXECUTED)
            continue;
        other->told = access->window;
        *ret_other = other->place;
        return type;
    }
    return CONFLICT_EXECUTED;
}
