#include "consumers/path_pool.h"

#include "profile/sums.h"

enum {
    POOL_EXITS = 1 << 21, /* 8 MiB: minutes, at one percent */
    POOL_BATCHES_MIN = 4,
};

void path_pool_init(struct path_pool *pool, struct units *units)
{
    *pool = (struct path_pool){0};
    batch_init(&pool->batch);
    path_walks_init(&pool->walks, units, &pool->book, &pool->batch);
}

void path_pool_release(struct path_pool *pool)
{
    path_walk_release(&pool->walk);
    path_walks_release(&pool->walks);
    path_book_release(&pool->book);
    batch_release(&pool->batch);
    vec_release(&pool->exits);
    vec_release(&pool->parts);
    vec_release(&pool->batches);
}

void path_pool_add(struct path_pool *pool, const uint32_t *exits, const struct path_part *part)
{
    struct path_part *added = vec_push(&pool->parts);
    *added = *part;
    added->first = pool->exits.n;
    vec_room(&pool->exits, pool->exits.n + part->n);
    memcpy(pool->exits.at + pool->exits.n, exits, part->n * sizeof *exits);
    pool->exits.n += part->n;
}

void path_pool_close(struct path_pool *pool, uint64_t x_time, uint64_t x_count)
{
    pool->closed++;
    *vec_push(&pool->batches) = (struct path_batch){pool->parts.n, x_time, x_count};
}

bool path_pool_is_full(const struct path_pool *pool)
{
    return pool->exits.n >= POOL_EXITS;
}

static void part_walk(struct path_pool *pool, const struct path_part *part)
{
    path_walk_begin(&pool->walk, part->weight, part->instructions);
    path_walk_exits(&pool->walks, &pool->walk, pool->exits.at + part->first, part->n, &part->end);
}

static void batch_fold(struct path_pool *pool, const struct path_batch *batch,
                       struct profile *profile)
{
    struct batch_table *from = &pool->batch.paths;
    uint32_t group = (uint32_t)(pool->folded++ % STACK_GROUPS);
    path_series_give(&pool->walks.series, profile, group);
    stacks_add(&profile->series, stacks_node(&profile->series, STACK_NONE, MODULE_NONE, 0), group,
               batch->x_count);
    for (uint32_t i = 0; i < from->cells.n; i++) {
        uint64_t count = from->cells.at[i].count;
        if (count)
            sums_add_batch(table_at(&profile->paths, map_key(&from->keys, i)), 0, count,
                           batch->x_time, batch->x_count);
        from->cells.at[i] = (struct batch_cell){0};
    }
}

void path_pool_give(struct path_pool *pool, struct profile *profile, uint64_t code_most)
{
    size_t done = 0;
    uint64_t left_out = pool->book.left_out;
    if (pool->closed < POOL_BATCHES_MIN)
        return;
    pool->book.code_most = code_most;
    for (size_t i = 0; i < pool->batches.n; i++) {
        for (; done < pool->batches.at[i].parts; done++)
            part_walk(pool, &pool->parts.at[done]);
        batch_fold(pool, &pool->batches.at[i], profile);
    }
    sum_add(&profile->totals.losses[LOSS_path_large], pool->book.left_out - left_out);
    pool->batches.n = 0;
    size_t left = pool->parts.n - done, exits = left ? pool->parts.at[done].first : pool->exits.n;
    pool->exits.n -= exits;
    if (pool->exits.n)
        memmove(pool->exits.at, pool->exits.at + exits, pool->exits.n * sizeof *pool->exits.at);
    for (size_t i = 0; i < left; i++) {
        pool->parts.at[i] = pool->parts.at[done + i];
        pool->parts.at[i].first -= exits;
    }
    pool->parts.n = left;
}
