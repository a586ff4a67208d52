#include "collect/trace_count.h"

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
    for (uint32_t j = 0; j < superblock->n_exits; j++)
        count->exits.at[superblock->first_exit + j] = (struct trace_count_exit){
            .start = segments[0].start,
            .indirect = j < superblock->n_segments && is_pair(segments[j].end)};
}

static void units_follow(struct trace_count *count)
{
    const struct units *units = count->units;
    while (count->exits.n < units->owner.n)
        *vec_push(&count->exits) = (struct trace_count_exit){0};
    for (; count->followed < units->superblocks.n; count->followed++)
        superblock_follow(count, &units->superblocks.at[count->followed]);
}

/* ---- passages */

static uint32_t pair_of(struct trace_count *count, uint32_t exit, uint64_t to)
{
    uint64_t key[2] = {exit, to};
    uint32_t index = map_add(&count->pairs, key);
    if (index == count->pair_counts.n) {
        *vec_push(&count->pair_counts) = 0;
        units_pair_add(count->units, exit, to);
    }
    return index;
}

static void turn_count(struct trace_count *count, uint32_t exit, uint64_t to)
{
    struct trace_count_exit *from = &count->exits.at[exit];
    if (from->last_to != to) {
        from->last_pair = pair_of(count, exit, to);
        from->last_to = to;
    }
    count->pair_counts.at[from->last_pair]++;
}

/* Where turns are is written down in any case and kept only if it is so: cheaper than asking. */
static void count_exits(struct consumer *consumer, const struct passage *passage)
{
    struct trace_count *count = (struct trace_count *)consumer;
    if (count->followed < count->units->superblocks.n)
        units_follow(count);
    vec_reserve(&count->turns, (size_t)passage->n + 1);
    uint32_t *turn = count->turns.at;
    struct trace_count_exit *const exits = count->exits.at;
    for (uint32_t i = 0; i < passage->n; i++) {
        struct trace_count_exit *exit = &exits[passage->exits[i]];
        exit->n++;
        *turn = i;
        turn += exit->indirect;
    }
    count->passed += passage->n;
    for (const uint32_t *at = count->turns.at; at < turn; at++) {
        bool last = *at + 1 == passage->n;
        turn_count(count, passage->exits[*at],
                   last ? passage->end_pc : exits[passage->exits[*at + 1]].start);
    }
}

/* ---- readings */

static void superblock_sum(struct trace_count *count, const struct superblock *superblock)
{
    uint64_t *counters = &count->counters.at[superblock->counter];
    for (uint32_t j = 0; j < superblock->n_exits; j++) {
        uint64_t n = count->exits.at[superblock->first_exit + j].n;
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
        count->counters.at[units->pairs.at[i].counter] = count->pair_counts.at[i];
    return (struct exact_reading){
        .counters = count->counters.at, .n = count->counters.n, .last = last};
}

void trace_count_init(struct trace_count *count, struct units *units)
{
    static const struct consumer_kind kind = {count_begin, count_exits, count_end};
    *count = (struct trace_count){.consumer = {&kind, units}, .units = units};
    map_init(&count->pairs, 2 * sizeof(uint64_t));
}

void trace_count_release(struct trace_count *count)
{
    vec_release(&count->exits);
    map_release(&count->pairs);
    vec_release(&count->pair_counts);
    vec_release(&count->turns);
    vec_release(&count->counters);
}
