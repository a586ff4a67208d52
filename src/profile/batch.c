#include "profile/batch.h"

void batch_init(struct batch *batch)
{
    *batch = (struct batch){0};
    for (int i = 0; i < TABLES; i++)
        map_init(&batch->tables[i].keys, profile_key_bytes((enum profile_table)i));
}

static void table_release(struct batch_table *table)
{
    map_release(&table->keys);
    vec_release(&table->cells);
    vec_release(&table->touched);
    vec_release(&table->numbers);
}

void batch_release(struct batch *batch)
{
    for (int i = 0; i < TABLES; i++)
        table_release(&batch->tables[i]);
    batch_init(batch);
}

static uint32_t index_of(struct batch_table *table, const void *key)
{
    uint32_t index = map_add(&table->keys, key);
    if (index == table->cells.n) {
        *vec_push(&table->cells) = (struct batch_cell){0};
        *vec_push(&table->numbers) = MAP_NONE;
        if (index / 64 == table->touched.n)
            *vec_push(&table->touched) = 0;
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

uint32_t batch_trip_index(struct batch *batch, const struct trip_key *key)
{
    return index_of(&batch->trips, key);
}

uint32_t batch_path_index(struct batch *batch, const struct path_key *key)
{
    return index_of(&batch->paths, key);
}

uint32_t batch_value_index(struct batch *batch, const struct value_key *key)
{
    return index_of(&batch->values, key);
}

uint32_t batch_latency_index(struct batch *batch, const struct latency_key *key)
{
    return index_of(&batch->latencies, key);
}

uint32_t batch_conflict_index(struct batch *batch, const struct conflict_key *key)
{
    return index_of(&batch->conflicts, key);
}

uint32_t batch_waste_index(struct batch *batch, const struct waste_key *key)
{
    return index_of(&batch->waste, key);
}

uint32_t batch_called_index(struct batch *batch, const struct called_key *key)
{
    return index_of(&batch->called, key);
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

void batch_add_window(struct batch *batch, uint64_t time, uint64_t count)
{
    batch->x_time += time;
    batch->x_count += count;
}

static void table_fold(struct batch_table *from, struct table *into, const struct batch *batch)
{
    for (uint32_t word = 0; word < from->touched.n; word++) {
        for (uint64_t bits = from->touched.at[word]; bits; bits &= bits - 1) {
            uint32_t index = word * 64 + (uint32_t)__builtin_ctzll(bits);
            struct batch_cell y = from->cells.at[index];
            from->cells.at[index] = (struct batch_cell){0};
            if (y.time | y.count)
                sums_add_batch(table_at(into, map_key(&from->keys, index)), y.time, y.count,
                               batch->x_time, batch->x_count);
        }
        from->touched.at[word] = 0;
    }
}

static bool table_empty(const struct batch_table *table)
{
    for (size_t i = 0; i < table->touched.n; i++)
        if (table->touched.at[i])
            return false;
    return true;
}

static bool batch_empty(const struct batch *batch)
{
    for (int i = 0; i < TABLES; i++)
        if (!table_empty(&batch->tables[i]))
            return false;
    return !(batch->x_time | batch->x_count);
}

void batch_close(struct batch *batch, struct profile *profile)
{
    if (batch_empty(batch))
        return;
    if (profile->sink)
        profile->sink->take(profile->sink, batch);
    else
        for (int i = 0; i < TABLES; i++)
            table_fold(&batch->tables[i], &profile->tables[i], batch);
    struct totals *totals = &profile->totals;
    sum_add(&totals->batches, 1);
    sum_add(&totals->time, batch->x_time);
    sum_add(&totals->count, batch->x_count);
    sum_add_wide(&totals->time_xx, (u128)batch->x_time * batch->x_time);
    sum_add_wide(&totals->count_xx, (u128)batch->x_count * batch->x_count);
    batch->x_time = batch->x_count = 0;
    batch->span = (struct time_part){0};
}
