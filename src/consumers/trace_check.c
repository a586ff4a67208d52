#include "consumers/trace_check.h"

static void check_begin(struct consumer *consumer, uint32_t thread, int32_t tid)
{
    (void)thread, (void)tid;
    ((struct trace_check *)consumer)->verdict.threads++;
}

static void check_end(struct consumer *consumer, uint32_t thread, uint32_t stop)
{
    (void)consumer, (void)thread, (void)stop;
}

/* ---- numbers */

static uint32_t number_of(struct trace_check *check, uint64_t address)
{
    return address ? map_add(&check->numbers, &address) + 1 : 0;
}

static uint64_t address_of(const struct trace_check *check, uint32_t number)
{
    return number ? *(const uint64_t *)map_key(&check->numbers, number - 1) : 0;
}

static void superblock_follow(struct trace_check *check, const struct superblock *superblock)
{
    const struct unit_segment *segments =
        &check->consumer.units->segments.at[superblock->first_segment];
    for (uint32_t j = 0; j < superblock->n_exits; j++) {
        const struct unit_segment *last = &segments[superblock_last_segment(superblock, j)];
        bool fell = j == superblock->n_segments;
        check->exits.at[superblock->first_exit + j] = (struct trace_check_exit){
            .start = number_of(check, segments[0].start),
            .target = number_of(check, fell ? last->start + last->bytes : last->target)};
    }
}

static void units_follow(struct trace_check *check)
{
    const struct units *units = check->consumer.units;
    while (check->exits.n < units->owner.n)
        *vec_push(&check->exits) = (struct trace_check_exit){0};
    for (; check->followed < units->superblocks.n; check->followed++)
        superblock_follow(check, &units->superblocks.at[check->followed]);
}

static void astray(struct trace_verdict *verdict, uint64_t at, uint64_t expected)
{
    if (verdict->astray++)
        return;
    verdict->at = at;
    verdict->expected = expected;
}

static void passage_astray(struct trace_check *check, const struct passage *passage)
{
    uint32_t expected = number_of(check, passage->start_pc);
    for (uint32_t i = 0; i < passage->n; i++) {
        const struct trace_check_exit *exit = &check->exits.at[passage->exits[i]];
        if (!exit->start || (expected && expected != exit->start))
            astray(&check->verdict, address_of(check, exit->start), address_of(check, expected));
        expected = exit->target;
    }
}

/* Nearly always all is well: this is found without a branch for each, and only else who it was. */
static void check_exits(struct consumer *consumer, const struct passage *passage)
{
    struct trace_check *check = (struct trace_check *)consumer;
    if (check->followed < check->consumer.units->superblocks.n)
        units_follow(check);
    const struct trace_check_exit *const exits = check->exits.at;
    uint32_t expected = number_of(check, passage->start_pc), wrong = 0;
    for (uint32_t i = 0; i < passage->n; i++) {
        struct trace_check_exit exit = exits[passage->exits[i]];
        wrong |= ((expected != 0) & (expected != exit.start)) | (exit.start == 0);
        expected = exit.target;
    }
    if (wrong)
        passage_astray(check, passage);
    if (expected && passage->end_pc && address_of(check, expected) != passage->end_pc)
        astray(&check->verdict, passage->end_pc, address_of(check, expected));
    check->verdict.passages++;
    check->verdict.exits += passage->n;
    check->verdict.breaks += !passage->joined;
}

void trace_check_init(struct trace_check *check, const struct units *units)
{
    static const struct consumer_kind kind = {check_begin, check_exits, check_end};
    *check = (struct trace_check){.consumer = {&kind, units}};
    map_init(&check->numbers, sizeof(uint64_t));
}

void trace_check_release(struct trace_check *check)
{
    map_release(&check->numbers);
    vec_release(&check->exits);
}

void trace_verdict_add(struct trace_verdict *sum, const struct trace_verdict *more)
{
    if (!sum->astray) {
        sum->at = more->at;
        sum->expected = more->expected;
    }
    sum->threads += more->threads;
    sum->passages += more->passages;
    sum->exits += more->exits;
    sum->breaks += more->breaks;
    sum->astray += more->astray;
}
