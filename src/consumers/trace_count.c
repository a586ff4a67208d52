#include "consumers/trace_count.h"

#include "base/memory.h"

enum { SLOTS_FIRST = 1 << 10 }; /* a power of two */

static void count_begin(struct consumer *consumer, uint32_t thread, int32_t tid)
{
    (void)consumer, (void)thread, (void)tid;
}

static void count_end(struct consumer *consumer, uint32_t thread, uint32_t stop)
{
    (void)consumer, (void)thread, (void)stop;
}

/* ---- following the units */

static bool is_pair(uint8_t end)
{
    return end == SEGMENT_IJUMP || end == SEGMENT_ICALL;
}

static void superblock_follow(struct trace_count *count, const struct superblock *superblock)
{
    const struct unit_segment *segments = &count->units->segments.at[superblock->first_segment];
    for (uint32_t j = 0; j < superblock->n_exits; j++) {
        uint32_t id = superblock->first_exit + j;
        count->turns.at[id].start = segments[0].start;
        count->indirect.at[id] = j < superblock->n_segments && is_pair(segments[j].end);
    }
}

static void units_follow(struct trace_count *count)
{
    const struct units *units = count->units;
    while (count->counts.n < units->owner.n) {
        *vec_push(&count->counts) = 0;
        *vec_push(&count->indirect) = 0;
        *vec_push(&count->turns) = (struct trace_turn){0};
    }
    for (; count->followed < units->superblocks.n; count->followed++)
        superblock_follow(count, &units->superblocks.at[count->followed]);
}

/* ---- pairs */

static struct trace_pair_slot *slot_find(const struct trace_count *count, uint32_t exit,
                                         uint64_t to)
{
    uint32_t mask = count->n_slots - 1;
    uint64_t hash = (to + ((uint64_t)exit << 40)) * 0x9E3779B97F4A7C15u;
    uint32_t at = (uint32_t)(hash >> 32) & mask;
    while (count->slots[at].pair && (count->slots[at].exit != exit || count->slots[at].to != to))
        at = (at + 1) & mask;
    return &count->slots[at];
}

static void slots_double(struct trace_count *count)
{
    struct trace_pair_slot *old = count->slots;
    uint32_t n = count->n_slots;
    count->n_slots *= 2;
    count->slots = mem_alloc(count->n_slots * sizeof *count->slots);
    for (uint32_t i = 0; i < n; i++)
        if (old[i].pair)
            *slot_find(count, old[i].exit, old[i].to) = old[i];
    mem_free(old);
}

static uint32_t pair_of(struct trace_count *count, uint32_t exit, uint64_t to)
{
    struct trace_pair_slot *slot = slot_find(count, exit, to);
    if (slot->pair)
        return slot->pair - 1;
    *vec_push(&count->pairs) = 0;
    units_pair_add(count->units, exit, to);
    *slot = (struct trace_pair_slot){to, exit, (uint32_t)count->pairs.n};
    uint32_t index = slot->pair - 1;
    if (count->pairs.n * 4 > count->n_slots)
        slots_double(count);
    return index;
}

static void turn_count(struct trace_count *count, uint32_t exit, uint64_t to)
{
    struct trace_turn *turn = &count->turns.at[exit];
    if (!to)
        return;
    if (turn->last_to != to) {
        turn->last_pair = pair_of(count, exit, to);
        turn->last_to = to;
    }
    count->pairs.at[turn->last_pair]++;
}

/* ---- passages */

/* Where turns are is written down in any case and kept only if it is so: cheaper than asking. */
static void count_exits(struct consumer *consumer, const struct passage *passage)
{
    struct trace_count *count = (struct trace_count *)consumer;
    if (count->followed < count->units->superblocks.n)
        units_follow(count);
    vec_reserve(&count->turned, (size_t)passage->n + 1);
    const uint32_t n = passage->n, *const exits = passage->exits;
    uint32_t *turned = count->turned.at;
    uint64_t *const counts = count->counts.at;
    const uint8_t *const indirect = count->indirect.at;
    for (uint32_t i = 0; i < n; i++) {
        counts[exits[i]]++;
        *turned = i;
        turned += indirect[exits[i]];
    }
    count->passed += n;
    for (const uint32_t *at = count->turned.at; at < turned; at++)
        turn_count(count, exits[*at],
                   *at + 1 == n ? passage->end_pc : count->turns.at[exits[*at + 1]].start);
}

/* ---- readings */

static void superblock_sum(struct trace_count *count, const struct superblock *superblock)
{
    uint64_t *counters = &count->counters.at[superblock->counter];
    for (uint32_t j = 0; j < superblock->n_exits; j++) {
        uint64_t n = count->counts.at[superblock->first_exit + j];
        counters[0] += n;
        if (j < superblock->n_segments)
            counters[1 + j] = n;
    }
}

struct exact_reading trace_count_reading(struct trace_count *count, bool last)
{
    const struct units *units = count->units;
    units_follow(count);
    while (count->counters.n < units->counters)
        (void)vec_push(&count->counters);
    for (size_t i = 0; i < count->counters.n; i++)
        count->counters.at[i] = 0;
    for (size_t i = 0; i < units->superblocks.n; i++)
        superblock_sum(count, &units->superblocks.at[i]);
    for (size_t i = 0; i < units->cuts.n; i++)
        count->counters.at[units->superblocks.at[units->cuts.at[i].superblock].counter]++;
    for (size_t i = 0; i < units->pairs.n; i++)
        count->counters.at[units->pairs.at[i].counter] = count->pairs.at[i];
    return (struct exact_reading){
        .counters = count->counters.at, .n = count->counters.n, .last = last};
}

void trace_count_init(struct trace_count *count, struct units *units)
{
    static const struct consumer_kind kind = {count_begin, count_exits, count_end};
    *count =
        (struct trace_count){.consumer = {&kind, units}, .units = units, .n_slots = SLOTS_FIRST};
    count->slots = mem_alloc(SLOTS_FIRST * sizeof *count->slots);
}

void trace_count_release(struct trace_count *count)
{
    vec_release(&count->counts);
    vec_release(&count->indirect);
    vec_release(&count->turns);
    mem_free(count->slots);
    vec_release(&count->pairs);
    vec_release(&count->turned);
    vec_release(&count->counters);
}
