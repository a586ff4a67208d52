/* Paths through functions that are whole in the first part of a window.
 *
 * To follow them costs several times all else that is done with a window, and what comes later in a
 * window is much like what comes first: parts of all windows say more than some whole windows.
 * Windows of a trigger with few ticks are ten times as long, and their parts no longer. */
#include "base/memory.h"
#include "collect/windows/window_consumer.h"
#include "consumers/path_pool.h"

/* Exits of a window that are searched for paths, and what an exit costs: measured. */
enum { PATHS_EXITS = 2048, PATHS_EXIT_NS = 55, PATHS_BUDGET_PART = 4 };
/* What reading a module costs for each byte of its code, measured, and how much of it is always
 * allowed: 0.1 s, once. */
enum { PATHS_CODE_NS = 6, PATHS_CODE_FREE = 16 << 20 };

struct window_paths {
    struct window_consumer consumer;
    const struct units *units;
    const struct tally *tally;
    struct profile *profile;
    struct path_pool pool;
    uint32_t overhead_ppm; /* the budget */
    uint32_t every;        /* one window in `every` is searched and stands for as many: a power of
                              two, so that paths cost at most a quarter of the budget */
    uint64_t exits;        /* searched in this batch */
    uint64_t cpu_ns;       /* of batches that are closed */
};

static void paths_window(struct window_consumer *consumer, const struct weighed_window *window)
{
    struct window_paths *paths = (struct window_paths *)consumer;
    const struct units *units = paths->units;
    const uint32_t *exits = window->counted.exits;
    struct tally_weight part = window->weight;
    uint32_t seen = 0;
    if (window->number % paths->every)
        return;
    part.instructions = 0;
    while (seen + 1 < window->walk->n_exits && seen < PATHS_EXITS &&
           part.instructions * PATHS_PART < window->weight.instructions)
        part.instructions += paths->tally->exits.at[exits[seen++]].instructions;
    if (!part.instructions)
        return;
    paths->exits += seen;
    const struct superblock *next = &units->superblocks.at[units_owner(units, exits[seen])];
    const struct unit_segment *first = &units->segments.at[next->first_segment];
    path_pool_add(&paths->pool, exits,
                  &(struct path_part){.n = seen,
                                      .instructions = (uint32_t)part.instructions,
                                      .weight = paths->every * tally_units(&part, 1) * part.rate,
                                      .end = {first->start, first->at, 0}});
}

/* What paths may cost in so much CPU time. */
static uint64_t allowed_ns(const struct window_paths *paths, uint64_t cpu_ns)
{
    return cpu_ns / 1000000 * paths->overhead_ppm / PATHS_BUDGET_PART;
}

static void pace_set(struct window_paths *paths, uint64_t cpu_ns)
{
    uint64_t allowed = allowed_ns(paths, cpu_ns), spent = paths->exits * PATHS_EXIT_NS;
    if (spent > allowed)
        paths->every *= 2;
    else if (paths->every > 1 && 4 * spent < allowed)
        paths->every /= 2;
    paths->exits = 0;
    paths->cpu_ns += cpu_ns;
}

/* Leaves out modules that are too large to be read within the budget. */
static void paths_give(struct window_consumer *consumer)
{
    struct window_paths *paths = (struct window_paths *)consumer;
    uint64_t most = allowed_ns(paths, paths->cpu_ns) / PATHS_CODE_NS;
    path_pool_give(&paths->pool, paths->profile, most > PATHS_CODE_FREE ? most : PATHS_CODE_FREE);
}

static void paths_flush(struct window_consumer *consumer, const struct batch_end *end)
{
    struct window_paths *paths = (struct window_paths *)consumer;
    pace_set(paths, end->cpu_ns);
    path_pool_close(&paths->pool, end->batch->x_time, end->batch->x_count);
    if (path_pool_is_full(&paths->pool))
        paths_give(consumer);
}

static void paths_close(struct window_consumer *consumer)
{
    struct window_paths *paths = (struct window_paths *)consumer;
    path_pool_release(&paths->pool);
    mem_free(paths);
}

struct window_consumer *window_paths_open(const struct window_setting *setting)
{
    static const struct window_consumer_kind kind = {
        .window = paths_window, .flush = paths_flush, .end = paths_give, .release = paths_close};
    struct window_paths *paths = mem_alloc(sizeof *paths);
    uint32_t ppm = setting->session->options->record.overhead_ppm;
    *paths = (struct window_paths){.consumer = {&kind},
                                   .units = setting->units,
                                   .tally = setting->tally,
                                   .profile = setting->session->profile,
                                   .overhead_ppm = ppm ? ppm : 10000,
                                   .every = 1};
    path_pool_init(&paths->pool, setting->units);
    return &paths->consumer;
}
