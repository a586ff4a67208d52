/* Parts of windows for paths: the first part of each, which whoever wants paths will search
 * (profile/path_parts.h).
 *
 * What comes later in a window is much like what comes first: parts of all windows say more than
 * some whole windows. Windows of a trigger with few ticks are ten times as long, and their parts no
 * longer. */
#include "base/memory.h"
#include "collect/windows/window_consumer.h"
#include "consumers/path_pool.h"
#include "profile/batch.h"

/* Exits of a window that are kept, and how many of a CPU second at 1 %: a search takes a hundredth
 * of that second, and the file grows by some 100 KiB. */
enum { PATHS_EXITS = 2048, PATHS_EXITS_SECOND = 180000 };

struct window_paths {
    struct window_consumer consumer;
    const struct tally *tally;
    struct profile *profile;
    struct path_pool pool;
    uint32_t overhead_ppm; /* the budget */
    uint32_t every; /* one window in `every` is kept and stands for as many: a power of two, */
    uint32_t least; /* at least this, which doubles whenever the pool was full: however long
                       a recording is, its file stays small */
    uint64_t exits; /* kept in this batch */
};

static void paths_window(struct window_consumer *consumer, const struct weighed_window *window)
{
    struct window_paths *paths = (struct window_paths *)consumer;
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
    path_pool_add(&paths->pool, exits, seen, (uint32_t)part.instructions,
                  paths->every * tally_units(&part, 1) * part.rate);
}

static void pace_set(struct window_paths *paths, uint64_t cpu_ns)
{
    double percent = paths->overhead_ppm / 1e4;
    double most = (double)cpu_ns / 1e9 * percent * PATHS_EXITS_SECOND;
    if ((double)paths->exits > most)
        paths->every *= 2;
    else if (paths->every > paths->least && 4 * (double)paths->exits < most)
        paths->every /= 2;
    paths->exits = 0;
}

static void paths_give(struct window_consumer *consumer)
{
    struct window_paths *paths = (struct window_paths *)consumer;
    if (!path_pool_give(&paths->pool, &paths->profile->path_parts))
        sum_add(&paths->profile->totals.losses[LOSS_path_large], 1);
}

static void paths_flush(struct window_consumer *consumer, const struct batch_end *end)
{
    struct window_paths *paths = (struct window_paths *)consumer;
    pace_set(paths, end->cpu_ns);
    path_pool_close(&paths->pool, end->batch->x_time, end->batch->x_count,
                    time_part_middle(&end->batch->span));
    if (!path_pool_is_full(&paths->pool))
        return;
    paths_give(consumer);
    paths->least *= 2;
    paths->every = paths->every > paths->least ? paths->every : paths->least;
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
                                   .tally = setting->tally,
                                   .profile = setting->session->profile,
                                   .overhead_ppm = ppm ? ppm : 10000,
                                   .every = 1,
                                   .least = 1};
    path_pool_init(&paths->pool, setting->units);
    return &paths->consumer;
}
