#include "model/core/hierarchy.h"

#include "base/memory.h"
#include "model/core/times.h"

#include <string.h>

enum { PAGE_BITS = 12, STREAMS = 16, TLB_WAYS = 8, NAME_MASK = 255 };
enum {
    TABLE_BITS = 3,
    TABLE_TAG = 56
}; /* entries of a page table in a line; where its level stands in the number of a line */

/* A run of lines in one page, each behind the last. */
struct stream {
    uint64_t page, last;
    int64_t step; /* 1, -1; 0: seen once */
    uint64_t ahead;
    uint32_t used;
};

/* How many lines came in each span of cycles: accesses come in program order, not in that of time,
 * so that it is not enough to know the last. */
enum { LANE_BITS = 5, LANE_SPANS = 256 };
struct lane {
    struct {
        uint32_t span, lines;
    } at[LANE_SPANS];
};

struct hierarchy {
    const struct model *model;
    uint32_t line_bits;
    struct lru l1d, l1i, l2, l3, dtlb, itlb, l2tlb;
    uint64_t *misses; /* until when each place for a line on its way is taken */
    struct lane from_l2, from_l3, from_memory;
    uint64_t walked; /* when the last walk through page tables ended */
    uint64_t latest; /* when a line was last fetched from the third level or from memory */
    struct stream streams[STREAMS];
    uint32_t clock;
};

/* Exactly so many entries, in sets of a power of two. */
static void tlb_init(struct lru *tlb, uint32_t entries)
{
    uint32_t sets = 1;
    while (sets * 2 * TLB_WAYS <= entries)
        sets *= 2;
    lru_init(tlb, entries / sets * sets, entries / sets);
}

struct hierarchy *hierarchy_make(const struct model *model)
{
    struct hierarchy *hierarchy = mem_alloc(sizeof *hierarchy);
    hierarchy->model = model;
    while (1u << hierarchy->line_bits < model->line_bytes)
        hierarchy->line_bits++;
    uint64_t lines = 1024 / model->line_bytes;
    lru_init(&hierarchy->l1d, model->l1d_kib * lines, model->l1d_ways);
    lru_init(&hierarchy->l1i, model->l1i_kib * lines, model->l1i_ways);
    lru_init(&hierarchy->l2, model->l2_kib * lines, model->l2_ways);
    lru_init(&hierarchy->l3, model->l3_kib * lines, model->l3_ways);
    tlb_init(&hierarchy->dtlb, model->dtlb);
    tlb_init(&hierarchy->itlb, model->itlb);
    tlb_init(&hierarchy->l2tlb, model->l2tlb);
    hierarchy->misses = mem_alloc(model->misses * sizeof *hierarchy->misses);
    return hierarchy;
}

void hierarchy_free(struct hierarchy *hierarchy)
{
    lru_release(&hierarchy->l1d);
    lru_release(&hierarchy->l1i);
    lru_release(&hierarchy->l2);
    lru_release(&hierarchy->l3);
    lru_release(&hierarchy->dtlb);
    lru_release(&hierarchy->itlb);
    lru_release(&hierarchy->l2tlb);
    mem_free(hierarchy->misses);
    mem_free(hierarchy);
}

void hierarchy_copy(struct hierarchy *to, const struct hierarchy *from)
{
    struct hierarchy parts = *to;
    *to = *from;
    to->l1d = parts.l1d, to->l1i = parts.l1i, to->l2 = parts.l2, to->l3 = parts.l3;
    to->dtlb = parts.dtlb, to->itlb = parts.itlb, to->l2tlb = parts.l2tlb;
    to->misses = parts.misses;
    lru_copy(&to->l1d, &from->l1d);
    lru_copy(&to->l1i, &from->l1i);
    lru_copy(&to->l2, &from->l2);
    lru_copy(&to->l3, &from->l3);
    lru_copy(&to->dtlb, &from->dtlb);
    lru_copy(&to->itlb, &from->itlb);
    lru_copy(&to->l2tlb, &from->l2tlb);
    memcpy(to->misses, from->misses, from->model->misses * sizeof *from->misses);
}

static uint64_t later_of(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* The first time, from `time` on, at which one more line fits. */
static uint64_t lane_pass(struct lane *lane, uint32_t every, uint64_t time)
{
    if (!every)
        return time;
    uint32_t room = (1u << LANE_BITS) / every;
    for (uint64_t span = time >> LANE_BITS;; span++) {
        uint32_t at = span % LANE_SPANS;
        if (lane->at[at].span != (uint32_t)span) {
            lane->at[at].span = (uint32_t)span;
            lane->at[at].lines = 0;
        }
        if (lane->at[at].lines >= (room ? room : 1))
            continue;
        lane->at[at].lines++;
        return later_of(time, span << LANE_BITS);
    }
}

/* Whether others have pushed a line out of the third level since it was last used. How long each
 * stays differs, from nothing to twice the mean: by its own number and time, so that the same
 * course gives the same cycles. */
static bool pushed_out(const struct model *model, uint64_t line, uint64_t used, uint64_t time)
{
    if (!model->l3_stays || time <= used)
        return false;
    uint64_t chance = (line ^ used) * 0x9e3779b97f4a7c15u >> 56;
    return time - used > chance * model->l3_stays / 128;
}

/* Puts a line into the second level. What it pushes out goes to the third, and was in use until
 * now. */
static void l2_put(struct hierarchy *hierarchy, uint64_t line, uint64_t time, uint64_t arrives)
{
    uint64_t victim;
    if (hierarchy->model->l3_stays && lru_victim(&hierarchy->l2, line, &victim)) {
        struct lru_entry *entry = lru_find(&hierarchy->l3, victim);
        if (entry)
            entry->arrives = later_of(entry->arrives, time);
    }
    lru_put(&hierarchy->l2, line, arrives);
}

/* When a line that is not in the first level arrives, asked for at `time`; it is put into the
 * levels below. */
static uint64_t line_fetch(struct hierarchy *hierarchy, uint64_t line, uint64_t time,
                           uint32_t *events)
{
    const struct model *model = hierarchy->model;
    struct lru_entry *entry = lru_find(&hierarchy->l2, line);
    time = lane_pass(&hierarchy->from_l2, model->l2_every, time);
    if (entry)
        return later_of(time + model->l2_cycles, entry->arrives);
    *events |= CORE_L2_MISS;
    entry = lru_find(&hierarchy->l3, line);
    uint64_t arrives;
    time = lane_pass(&hierarchy->from_l3, model->l3_every, time);
    if (entry && !pushed_out(model, line, entry->arrives, time)) {
        arrives = later_of(time + model->l3_cycles, entry->arrives);
        entry->arrives = later_of(entry->arrives, time);
    } else {
        *events |= CORE_L3_MISS;
        time = lane_pass(&hierarchy->from_memory, model->memory_every, time);
        arrives = time + model->memory_cycles;
        if (entry)
            entry->arrives = arrives;
        else
            lru_put(&hierarchy->l3, line, arrives);
    }
    hierarchy->latest = time;
    l2_put(hierarchy, line, time, arrives);
    return arrives;
}

/* Lines of page tables lie in the caches among all others. Pages that are neighbours share one of
 * the program's own table; where these lie in the memory of the host is by chance, so that its
 * tables have a line for each. Walks for different pages read them at the same time. */
static uint64_t tables_read(struct hierarchy *hierarchy, uint64_t page, uint64_t frame,
                            uint64_t time)
{
    uint32_t ignored = 0;
    for (uint64_t level = 0; level < hierarchy->model->walk_tables; level++) {
        uint64_t line = (level + 1) << TABLE_TAG | (level ? frame : page >> TABLE_BITS);
        struct lru_entry *entry = lru_find(&hierarchy->l1d, line);
        if (!entry)
            entry = lru_put(&hierarchy->l1d, line, line_fetch(hierarchy, line, time, &ignored));
        time = later_of(time, entry->arrives);
    }
    return time;
}

static uint64_t translate(struct hierarchy *hierarchy, struct lru *tlb, uint64_t page,
                          uint64_t frame, uint64_t time, uint32_t missed, uint32_t *events)
{
    if (lru_find(tlb, page))
        return time;
    *events |= missed;
    lru_put(tlb, page, time);
    if (lru_find(&hierarchy->l2tlb, page))
        return time + hierarchy->model->l2tlb_cycles;
    lru_put(&hierarchy->l2tlb, page, time);
    if (hierarchy->model->walk_alone && hierarchy->walked > time)
        time = hierarchy->walked;
    hierarchy->walked = time + hierarchy->model->walk_cycles;
    return tables_read(hierarchy, page, frame, hierarchy->walked);
}

static uint64_t line_demand(struct hierarchy *hierarchy, uint64_t line, uint64_t time,
                            uint32_t *events)
{
    uint64_t *place = hierarchy->misses;
    for (uint32_t i = 1; i<hierarchy->model->misses && * place> time; i++)
        if (hierarchy->misses[i] < *place)
            place = &hierarchy->misses[i];
    *place = line_fetch(hierarchy, line, later_of(time, *place), events);
    return *place;
}

/* The stream of that page; one that goes on from the page before it keeps its step. */
static struct stream *stream_of(struct hierarchy *hierarchy, uint64_t line, uint64_t page)
{
    struct stream *oldest = hierarchy->streams;
    hierarchy->clock++;
    for (uint32_t i = 0; i < STREAMS; i++) {
        struct stream *stream = &hierarchy->streams[i];
        if (stream->page == page + 1)
            return stream;
        if (stream->step && stream->last + (uint64_t)stream->step == line) {
            stream->page = page + 1;
            return stream;
        }
        if (hierarchy->clock - stream->used > hierarchy->clock - oldest->used)
            oldest = stream;
    }
    *oldest = (struct stream){.page = page + 1, .last = UINT64_MAX};
    return oldest;
}

/* Two lines behind each other make a stream: those that follow are fetched, and once more when it
 * gets near to them. */
static void prefetch(struct hierarchy *hierarchy, uint64_t line, uint64_t time)
{
    uint32_t page_bits = PAGE_BITS - hierarchy->line_bits, ignored = 0;
    struct stream *stream = stream_of(hierarchy, line, line >> page_bits);
    int64_t step = (int64_t)(line - stream->last);
    stream->used = hierarchy->clock;
    if (step == 0 || stream->last == UINT64_MAX) {
        stream->last = line;
        return;
    }
    stream->last = line;
    if (step != 1 && step != -1) {
        stream->step = 0;
        return;
    }
    if (stream->step != step)
        stream->ahead = line;
    stream->step = step;
    for (uint32_t i = 1; i <= hierarchy->model->prefetch_lines; i++) {
        uint64_t next = line + (uint64_t)(step * (int64_t)i);
        if (step > 0 ? next <= stream->ahead : next >= stream->ahead)
            continue;
        stream->ahead = next;
        if (!lru_find(&hierarchy->l1d, next))
            lru_put(&hierarchy->l1d, next, line_fetch(hierarchy, next, time, &ignored))->name = 0;
    }
}

static uint64_t line_access(struct hierarchy *hierarchy, uint64_t line, uint32_t name,
                            uint64_t time, uint32_t hit, uint32_t *events)
{
    struct lru_entry *entry = lru_find(&hierarchy->l1d, line);
    if (entry && (!entry->name || entry->name == name)) {
        bool first = !entry->name; /* nobody but the prefetcher has asked for it */
        entry->name = name;
        *events |= entry->renamed ? CORE_SYNONYM : 0;
        uint64_t arrives = entry->arrives;
        if (first && hierarchy->model->prefetch_lines)
            prefetch(hierarchy, line, time);
        return later_of(time + hit, arrives);
    }
    *events |= CORE_L1D_MISS | (entry ? CORE_SYNONYM : 0);
    uint64_t arrives;
    if (entry) {
        arrives = later_of(time + hierarchy->model->l2_cycles, entry->arrives);
        entry->arrives = arrives;
        entry->renamed = true;
    } else {
        arrives = line_demand(hierarchy, line, time, events);
        entry = lru_put(&hierarchy->l1d, line, arrives);
    }
    entry->name = name;
    if (hierarchy->model->prefetch_lines)
        prefetch(hierarchy, line, time);
    return later_of(time + hit, arrives);
}

uint64_t hierarchy_data(struct hierarchy *hierarchy, const struct hierarchy_access *access,
                        uint32_t hit, uint32_t *events)
{
    uint64_t page = access->address >> PAGE_BITS;
    uint64_t time = translate(hierarchy, &hierarchy->dtlb, page, access->physical >> PAGE_BITS,
                              access->time, CORE_DTLB_MISS, events);
    uint64_t first = access->physical >> hierarchy->line_bits;
    uint64_t last = (access->physical + access->bytes - 1) >> hierarchy->line_bits;
    uint32_t name = hierarchy->model->l1d_physical ? 1 : (uint32_t)(page & NAME_MASK) + 1;
    uint64_t arrives = line_access(hierarchy, first, name, time, hit, events);
    if (last != first)
        arrives = later_of(arrives, line_access(hierarchy, last, name, time, hit, events)) +
                  hierarchy->model->split_cycles;
    return arrives;
}

static void place_in(struct lru *lru, uint64_t line, bool there, uint64_t arrives, uint32_t name)
{
    struct lru_entry *entry = there ? lru_find(lru, line) : NULL;
    if (!there)
        lru_drop(lru, line);
    else if (!entry)
        entry = lru_put(lru, line, arrives);
    if (!entry)
        return;
    entry->name = name;
    entry->arrives = later_of(entry->arrives, arrives);
}

void hierarchy_place(struct hierarchy *hierarchy, uint64_t address, uint32_t level)
{
    uint64_t line = address >> hierarchy->line_bits;
    uint32_t name = (uint32_t)(address >> PAGE_BITS & NAME_MASK) + 1;
    place_in(&hierarchy->l1d, line, level <= 1, 0, name);
    place_in(&hierarchy->l2, line, level <= 2, 0, 0);
    place_in(&hierarchy->l3, line, level <= 3, hierarchy->latest, 0);
}

static void line_near(struct hierarchy *hierarchy, uint64_t line, uint32_t name)
{
    struct lru_entry *entry = lru_find(&hierarchy->l1d, line);
    if (!entry)
        entry = lru_put(&hierarchy->l1d, line, 0);
    entry->arrives = 0;
    entry->name = name;
}

void hierarchy_near(struct hierarchy *hierarchy, const struct hierarchy_access *access)
{
    uint64_t page = access->address >> PAGE_BITS;
    uint64_t first = access->physical >> hierarchy->line_bits;
    uint64_t last = (access->physical + access->bytes - 1) >> hierarchy->line_bits;
    uint32_t name = hierarchy->model->l1d_physical ? 1 : (uint32_t)(page & NAME_MASK) + 1;
    if (!lru_find(&hierarchy->dtlb, page))
        lru_put(&hierarchy->dtlb, page, 0);
    line_near(hierarchy, first, name);
    if (last != first)
        line_near(hierarchy, last, name);
}

uint64_t hierarchy_code(struct hierarchy *hierarchy, uint64_t address, uint64_t time,
                        uint32_t *events)
{
    uint64_t line = address >> hierarchy->line_bits;
    time = translate(hierarchy, &hierarchy->itlb, address >> PAGE_BITS, address >> PAGE_BITS, time,
                     CORE_ITLB_MISS, events);
    struct lru_entry *entry = lru_find(&hierarchy->l1i, line);
    if (entry)
        return later_of(time, entry->arrives);
    *events |= CORE_L1I_MISS;
    uint32_t below = 0;
    uint64_t arrives = line_demand(hierarchy, line, time, &below);
    lru_put(&hierarchy->l1i, line, arrives);
    /* The next line is asked for with it. */
    if (!lru_find(&hierarchy->l1i, line + 1))
        lru_put(&hierarchy->l1i, line + 1, line_fetch(hierarchy, line + 1, time, &below));
    return arrives;
}
