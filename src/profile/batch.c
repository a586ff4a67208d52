#include "profile/batch.h"

#include "base/err.h"
#include "profile/sums.h"

#include <string.h>

void batch_init(struct batch *batch)
{
    *batch = (struct batch){0};
    map_init(&batch->edges.keys, sizeof(struct edge_key));
    map_init(&batch->ranges.keys, sizeof(struct range_key));
    map_init(&batch->points.keys, sizeof(struct point_key));
}

static void table_release(struct batch_table *table)
{
    map_release(&table->keys);
    vec_release(&table->cells);
    vec_release(&table->touched);
    vec_release(&table->homes);
}

void batch_release(struct batch *batch)
{
    table_release(&batch->edges);
    table_release(&batch->ranges);
    table_release(&batch->points);
    batch_init(batch);
}

static uint32_t index_of(struct batch_table *table, const void *key)
{
    uint32_t index = map_add(&table->keys, key);
    if (index == table->cells.n) {
        *vec_push(&table->cells) = (struct batch_cell){0};
        *vec_push(&table->homes) = MAP_NONE;
    }
    return index;
}

uint32_t batch_edge_index(struct batch *batch, const struct edge_key *key)
{
    return index_of(&batch->edges, key);
}

uint32_t batch_range_index(struct batch *batch, const struct range_key *key)
{
    return index_of(&batch->ranges, key);
}

uint32_t batch_point_index(struct batch *batch, const struct point_key *key)
{
    return index_of(&batch->points, key);
}

void batch_add_edge(struct batch *batch, const struct edge_key *key, uint64_t time, uint64_t count)
{
    batch_add_edge_at(batch, batch_edge_index(batch, key), time, count);
}

void batch_add_range(struct batch *batch, const struct range_key *key, uint64_t time,
                     uint64_t count)
{
    batch_add_range_at(batch, batch_range_index(batch, key), time, count);
}

void batch_add_point(struct batch *batch, const struct point_key *key, uint64_t time,
                     uint64_t count)
{
    batch_add_point_at(batch, batch_point_index(batch, key), time, count);
}

void batch_add_window(struct batch *batch, uint64_t time, uint64_t count)
{
    batch->x_time += time;
    batch->x_count += count;
}

/* The key's sums in the profile. Its home is remembered but proved by comparing keys, since the
 * profile may have been cleared in between; a right guess saves the hash. */
static struct sums *home_of(struct batch_table *from, uint32_t index, struct table *into)
{
    const void *key = map_key(&from->keys, index);
    uint32_t guess = from->homes.at[index];
    if (guess < into->n && memcmp(map_key(&into->keys, guess), key, from->keys.key_bytes) == 0)
        return &into->at[guess];
    struct sums *sums = table_at(into, key);
    from->homes.at[index] = (uint32_t)(sums - into->at);
    return sums;
}

static void table_close(struct batch_table *from, struct table *into, uint64_t x_time,
                        uint64_t x_count)
{
    for (size_t i = 0; i < from->touched.n; i++) {
        uint32_t index = from->touched.at[i];
        struct batch_cell y = from->cells.at[index];
        if (!(y.time | y.count))
            continue;
        from->cells.at[index] = (struct batch_cell){0};
        const struct sums more = {
            .time = y.time,
            .count = y.count,
            .time_yy = (u128)y.time * y.time,
            .time_xy = (u128)y.time * x_time,
            .count_yy = (u128)y.count * y.count,
            .count_xy = (u128)y.count * x_count,
        };
        sums_add(home_of(from, index, into), &more);
    }
    from->touched.n = 0;
}

void batch_close(struct batch *batch, struct profile *profile)
{
    uint64_t x_time = batch->x_time, x_count = batch->x_count;
    if (!(x_time | x_count) && !batch->edges.touched.n && !batch->ranges.touched.n &&
        !batch->points.touched.n)
        return;
    table_close(&batch->edges, &profile->edges, x_time, x_count);
    table_close(&batch->ranges, &profile->ranges, x_time, x_count);
    table_close(&batch->points, &profile->points, x_time, x_count);
    struct totals *totals = &profile->totals;
    sum_add(&totals->batches, 1);
    sum_add(&totals->time, x_time);
    sum_add(&totals->count, x_count);
    sum_add_wide(&totals->time_xx, (u128)x_time * x_time);
    sum_add_wide(&totals->count_xx, (u128)x_count * x_count);
    batch->x_time = batch->x_count = 0;
}
