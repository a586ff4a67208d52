#include "walk/emit/guards.h"

#include "walk/base/probe.h"

/* What is kept: runs of bytes, the last followed by one of none. */
struct run {
    uint64_t start; /* avma */
    uint64_t bytes;
};

static uint32_t run_room(uint64_t bytes)
{
    return (uint32_t)(sizeof(struct run) + ((bytes + 7) & ~UINT64_C(7)));
}

/* The segments from i on that lie one behind the other; the number of the next. */
static uint32_t run_gather(const struct shape *shape, uint32_t i, struct run *ret)
{
    *ret = (struct run){shape->segments[i].start, shape->segments[i].bytes};
    while (++i < shape->n_segments && shape->segments[i].start == ret->start + ret->bytes)
        ret->bytes += shape->segments[i].bytes;
    return i;
}

uint32_t guards_add(struct guards *guards, const struct shape *shape)
{
    uint32_t at = guards->used, first = at;
    for (uint32_t i = 0; i < shape->n_segments;) {
        struct run run;
        i = run_gather(shape, i, &run);
        if (GUARDS_BYTES - at < run_room(run.bytes) + sizeof(struct run))
            return 0;
        *(struct run *)(void *)&guards->bytes[at] = run;
        if (!probe_read(&guards->bytes[at + sizeof(struct run)], run.start, run.bytes))
            return 0;
        at += run_room(run.bytes);
    }
    *(struct run *)(void *)&guards->bytes[at] = (struct run){0};
    guards->used = at + (uint32_t)sizeof(struct run);
    return first + 1;
}

bool guards_hold(const struct guards *guards, uint32_t guard)
{
    const uint8_t *at = &guards->bytes[guard - 1];
    for (;;) {
        const struct run *run = (const struct run *)(const void *)at;
        if (!run->start)
            return true;
        if (!probe_same(run->start, at + sizeof *run, run->bytes))
            return false;
        at += run_room(run->bytes);
    }
}

bool guards_next(const struct guards *guards, uint32_t guard, struct guards_run *run)
{
    const uint8_t *at = run->ours ? run->ours - sizeof(struct run) + run_room(run->bytes)
                                  : &guards->bytes[guard - 1];
    const struct run *kept = (const struct run *)(const void *)at;
    *run = (struct guards_run){kept->start, kept->bytes, at + sizeof *kept};
    return kept->start;
}

void guards_forget(struct guards *guards)
{
    guards->used = 0;
}
