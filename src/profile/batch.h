/* The current batch of walks: y for each key and x, added to the profile's sums when it closes.
 *
 * Keys and their indices stay from batch to batch, so a caller asks for an index once. Adding by
 * index touches one 16-byte cell. Closing costs in proportion to the keys touched in this batch.
 *
 * Units are those of struct sums. The caller counts windows, interrupts, instructions and losses in
 * the totals. */
#pragma once

#include "profile/profile.h"

struct batch_cell {
    uint64_t time, count;
};

struct batch_table {
    struct map keys;
    struct batch_cells {
        VEC(struct batch_cell);
    } cells;
    struct batch_bits {
        VEC(uint64_t);
    } touched; /* a bit per cell: may be nonzero */
    struct batch_numbers {
        VEC(uint32_t);
    } numbers; /* number of the key in the file; MAP_NONE: not known */
};

struct batch {
    union {
        struct batch_table tables[TABLES];
        struct {
            struct batch_table edges, ranges, trips, paths, values, latencies, modelled, conflicts,
                runs, waste, turns, called;
        };
    };
    uint64_t x_time, x_count;
    struct time_part span; /* of its walks, in Unix time; 0: not known */
    uint32_t generation;   /* of the file: `numbers` are valid for one */
};

/* Takes closed batches in place of a profile's tables: a file that grows. */
struct batch_sink {
    /* Empties the batch. */
    void (*take)(struct batch_sink *sink, struct batch *batch);
};

void batch_init(struct batch *batch);
void batch_release(struct batch *batch);

uint32_t batch_edge_index(struct batch *batch, const struct edge_key *key);
uint32_t batch_range_index(struct batch *batch, const struct range_key *key);
uint32_t batch_trip_index(struct batch *batch, const struct trip_key *key);
uint32_t batch_path_index(struct batch *batch, const struct path_key *key);
uint32_t batch_value_index(struct batch *batch, const struct value_key *key);
uint32_t batch_latency_index(struct batch *batch, const struct latency_key *key);
uint32_t batch_conflict_index(struct batch *batch, const struct conflict_key *key);
uint32_t batch_waste_index(struct batch *batch, const struct waste_key *key);
uint32_t batch_called_index(struct batch *batch, const struct called_key *key);

static inline void batch_table_add(struct batch_table *table, uint32_t index, uint64_t time,
                                   uint64_t count)
{
    struct batch_cell *cell = &table->cells.at[index];
    table->touched.at[index / 64] |= (uint64_t)1 << index % 64;
    cell->time += time;
    cell->count += count;
}

/* The index must come from a question above, of the same batch. Zero adds nothing. */
static inline void batch_add_edge_at(struct batch *batch, uint32_t index, uint64_t time,
                                     uint64_t count)
{
    batch_table_add(&batch->edges, index, time, count);
}
static inline void batch_add_range_at(struct batch *batch, uint32_t index, uint64_t time,
                                      uint64_t count)
{
    batch_table_add(&batch->ranges, index, time, count);
}
/* Runs of a loop: their weight, and that times their iterations. */
static inline void batch_add_trip_at(struct batch *batch, uint32_t index, uint64_t iterations,
                                     uint64_t runs)
{
    batch_table_add(&batch->trips, index, iterations, runs);
}

static inline void batch_add_path_at(struct batch *batch, uint32_t index, uint64_t time,
                                     uint64_t count)
{
    batch_table_add(&batch->paths, index, time, count);
}

void batch_add_edge(struct batch *batch, const struct edge_key *key, uint64_t time, uint64_t count);
void batch_add_range(struct batch *batch, const struct range_key *key, uint64_t time,
                     uint64_t count);

/* Adds one window to x. */
void batch_add_window(struct batch *batch, uint64_t time, uint64_t count);

/* Adds y, y^2 and x*y of every key, and x and x^2, to the profile. The batch is then empty but
 * knows its keys. An empty batch changes nothing. Module indices in keys are those of `profile`:
 * always close into the same one. If the profile has a sink, the tables go there instead; see
 * profile_writer_attach. */
void batch_close(struct batch *batch, struct profile *profile);
