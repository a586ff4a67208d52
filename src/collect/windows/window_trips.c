/* How often loops go round, seen in windows (consumers/trips.h).
 *
 * To find runs of loops costs several times all else that is done with a window, and how long they
 * are is well known from a few: one window in TRIPS_EVERY is searched, and stands for all. */
#include "base/memory.h"
#include "collect/windows/window_consumer.h"
#include "consumers/trips.h"

struct window_trips {
    struct window_consumer consumer;
    struct trips trips;
    struct trip_walk walk; /* of the window */
};

static void trips_window(struct window_consumer *consumer, const struct weighed_window *window)
{
    struct window_trips *to = (struct window_trips *)consumer;
    const struct event_walk *walk = window->walk;
    if (window->number % TRIPS_EVERY)
        return;
    const struct mapping *end =
        mappings_find(to->trips.units->mappings, (struct avma){walk->end_pc});
    struct place place = {0};
    if (end)
        place = (struct place){end->module, {walk->end_pc + end->shift}};
    trips_begin(&to->walk, TRIPS_EVERY * tally_units(&window->weight, 1) * window->weight.rate);
    trips_exits(&to->trips, &to->walk, window->counted.exits, walk->n_exits);
    trips_end(&to->trips, &to->walk, end ? &place : NULL);
}

static void trips_close(struct window_consumer *consumer)
{
    struct window_trips *trips = (struct window_trips *)consumer;
    trip_walk_release(&trips->walk);
    trips_release(&trips->trips);
    mem_free(trips);
}

struct window_consumer *window_trips_open(const struct window_setting *setting)
{
    static const struct window_consumer_kind kind = {.window = trips_window,
                                                     .release = trips_close};
    struct window_trips *trips = mem_alloc(sizeof *trips);
    trips->consumer.kind = &kind;
    trips_init(&trips->trips, setting->units, setting->batch);
    return &trips->consumer;
}
