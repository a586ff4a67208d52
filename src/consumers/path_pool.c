#include "consumers/path_pool.h"

#include "base/err.h"
#include "profile/stacks.h"

enum {
    POOL_BYTES = 1 << 20, /* a minute and more, at one percent */
    POOL_BATCHES_MIN = 4,
};

void path_pool_init(struct path_pool *pool, const struct units *units)
{
    *pool = (struct path_pool){.units = units};
}

void path_pool_release(struct path_pool *pool)
{
    path_sheet_release(&pool->sheet);
    parts_habits_release(&pool->habits);
}

void path_pool_add(struct path_pool *pool, const uint32_t *exits, uint32_t n, uint32_t instructions,
                   uint64_t weight)
{
    struct path_sheet *sheet = &pool->sheet;
    ASSERT(n <= PARTS_PART_MAX);
    *vec_push(&sheet->parts) = (struct window_part){
        .n = n, .instructions = instructions, .weight = weight, .end = exits[n]};
    parts_write(&sheet->body, &pool->habits, exits, n);
    pool->open++;
}

void path_pool_close(struct path_pool *pool, uint64_t x_time, uint64_t x_count, uint64_t moment_ns)
{
    *vec_push(&pool->sheet.batches) =
        (struct parts_batch){.n_parts = pool->open,
                             .group = (uint32_t)(pool->closed++ % STACK_GROUPS),
                             .x_time = x_time,
                             .x_count = x_count,
                             .moment_ns = moment_ns};
    pool->open = 0;
}

bool path_pool_is_full(const struct path_pool *pool)
{
    return pool->sheet.body.n >= POOL_BYTES;
}

/* ---- blocks */

static void segment_add(struct path_sheet *sheet, const struct unit_segment *segment)
{
    *vec_push(&sheet->segments) = (struct parts_segment){.start = segment->start,
                                                         .at = segment->at.address.v,
                                                         .module = segment->at.module,
                                                         .bytes = segment->bytes,
                                                         .instructions = segment->instructions,
                                                         .end = segment->end,
                                                         .last_bytes = segment->last_bytes};
}

/* The superblock of an exit, unless it is the last that was added. */
static void block_add(struct path_pool *pool, uint32_t exit)
{
    const struct units *units = pool->units;
    struct path_sheet *sheet = &pool->sheet;
    int32_t owner = units_owner(units, exit);
    if (owner == UNIT_NONE)
        return;
    const struct superblock *superblock = &units->superblocks.at[owner];
    if (sheet->blocks.n &&
        sheet->blocks.at[sheet->blocks.n - 1].first_exit == superblock->first_exit)
        return;
    *vec_push(&sheet->blocks) =
        (struct parts_block){superblock->first_exit, superblock->n_segments};
    for (uint32_t i = 0; i < superblock->n_segments; i++)
        segment_add(sheet, &units->segments.at[superblock->first_segment + i]);
}

/* Those of all exits that were met. Exits of a superblock are neighbours. */
static void blocks_add(struct path_pool *pool)
{
    struct parts_habits *habits = &pool->habits;
    for (size_t i = 0; i < pool->sheet.parts.n; i++) {
        uint32_t end = pool->sheet.parts.at[i].end;
        vec_reserve(habits, (size_t)end + 1);
        if (habits->at[end] == HABIT_NONE)
            habits->at[end] = HABIT_OPEN;
    }
    for (size_t exit = 0; exit < habits->room; exit++)
        if (habits->at[exit] != HABIT_NONE)
            block_add(pool, (uint32_t)exit);
}

bool path_pool_give(struct path_pool *pool, struct path_parts *to)
{
    struct path_sheet *sheet = &pool->sheet;
    if (pool->closed < POOL_BATCHES_MIN || !sheet->batches.n)
        return true;
    parts_write_end(&sheet->body, &pool->habits);
    blocks_add(pool);
    bool fits = sheet->segments.n <= PARTS_SEGMENTS_MAX && sheet->body.n <= PARTS_BODY_MAX;
    if (fits)
        *vec_push(to) = *sheet;
    else
        path_sheet_release(sheet);
    *sheet = (struct path_sheet){0};
    pool->open = 0;
    parts_habits_release(&pool->habits);
    return fits;
}
