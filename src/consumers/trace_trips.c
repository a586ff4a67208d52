#include "consumers/trace_trips.h"

#include "profile/sums.h"

static void trips_thread_begin(struct consumer *consumer, uint32_t thread, int32_t tid)
{
    (void)tid;
    struct trace_trips *trips = (struct trace_trips *)consumer;
    while (trips->walks.n <= thread) {
        struct trip_walk *walk = vec_push(&trips->walks);
        *walk = (struct trip_walk){0};
        trips_begin(walk, 1);
    }
}

/* The last exit's end is told by the next passage's first, if that goes on from there. */
static void trips_passage(struct consumer *consumer, const struct passage *passage)
{
    struct trace_trips *trips = (struct trace_trips *)consumer;
    trips_thread_begin(consumer, passage->thread, 0);
    struct trip_walk *walk = &trips->walks.at[passage->thread];
    if (!passage->joined) {
        trips_end(&trips->trips, walk, NULL);
        trips_begin(walk, 1);
    }
    trips_exits(&trips->trips, walk, passage->exits, passage->n);
}

static void trips_thread_end(struct consumer *consumer, uint32_t thread, uint32_t stop)
{
    (void)stop;
    struct trace_trips *trips = (struct trace_trips *)consumer;
    if (thread < trips->walks.n)
        trips_end(&trips->trips, &trips->walks.at[thread], NULL);
}

void trace_trips_init(struct trace_trips *trips, struct units *units)
{
    static const struct consumer_kind kind = {trips_thread_begin, trips_passage, trips_thread_end};
    *trips = (struct trace_trips){.consumer = {&kind, units}};
    batch_init(&trips->batch);
    trips_init(&trips->trips, units, &trips->batch);
}

void trace_trips_release(struct trace_trips *trips)
{
    for (size_t i = 0; i < trips->walks.n; i++)
        trip_walk_release(&trips->walks.at[i]);
    vec_release(&trips->walks);
    trips_release(&trips->trips);
    batch_release(&trips->batch);
}

void trace_trips_give(struct trace_trips *trips, struct profile *profile)
{
    struct batch_table *from = &trips->batch.trips;
    for (uint32_t i = 0; i < from->cells.n; i++) {
        struct batch_cell cell = from->cells.at[i];
        if (!cell.count)
            continue;
        struct sums *sums = table_at(&profile->trips, map_key(&from->keys, i));
        sum_add(&sums->count, cell.count);
        sum_add(&sums->time, cell.time);
        from->cells.at[i] = (struct batch_cell){0};
    }
}
