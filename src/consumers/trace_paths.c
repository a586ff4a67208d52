#include "consumers/trace_paths.h"

#include "profile/sums.h"

static void paths_thread_begin(struct consumer *consumer, uint32_t thread, int32_t tid)
{
    (void)tid;
    struct trace_paths *paths = (struct trace_paths *)consumer;
    while (paths->threads.n <= thread) {
        struct path_walk *walk = vec_push(&paths->threads);
        *walk = (struct path_walk){0};
        path_walk_begin(walk, 1, 0);
    }
}

static void paths_passage(struct consumer *consumer, const struct passage *passage)
{
    struct trace_paths *paths = (struct trace_paths *)consumer;
    struct mappings *mappings = paths->walks.units->mappings;
    paths_thread_begin(consumer, passage->thread, 0);
    struct path_walk *walk = &paths->threads.at[passage->thread];
    if (!passage->joined)
        path_walk_jump(&paths->walks, walk,
                       mappings_place(mappings, (struct avma){passage->start_pc}));
    walk->costs = paths->replay ? trace_replay_costs(paths->replay, passage->thread) : NULL;
    walk->contexts = paths->contexts ? paths->contexts->running.at : NULL;
    struct path_end end = {.avma = passage->end_pc};
    if (end.avma)
        end.place = mappings_place(mappings, (struct avma){end.avma});
    path_walk_exits(&paths->walks, walk, passage->exits, passage->n, &end);
}

static void paths_thread_end(struct consumer *consumer, uint32_t thread, uint32_t stop)
{
    (void)consumer, (void)thread, (void)stop;
}

void trace_paths_init(struct trace_paths *paths, struct units *units)
{
    static const struct consumer_kind kind = {paths_thread_begin, paths_passage, paths_thread_end};
    *paths = (struct trace_paths){.consumer = {&kind, units}};
    batch_init(&paths->batch);
    path_walks_init(&paths->walks, units, &paths->book, &paths->batch);
    context_paths_init(&paths->in_contexts);
}

void trace_paths_release(struct trace_paths *paths)
{
    for (size_t i = 0; i < paths->threads.n; i++)
        path_walk_release(&paths->threads.at[i]);
    vec_release(&paths->threads);
    path_walks_release(&paths->walks);
    context_paths_release(&paths->in_contexts);
    path_book_release(&paths->book);
    batch_release(&paths->batch);
}

void trace_paths_end(struct trace_paths *paths, struct profile *profile, uint32_t pid)
{
    struct path_walks *walks = &paths->walks;
    for (uint32_t i = 0; i < MODEL_COSTS; i++) {
        struct path_key key = {.kind = PATH_MODELLED_L1D + i};
        uint64_t rest = walks->costs.of[i] - walks->told.of[i];
        if (rest)
            sum_add(&table_at(&profile->paths, &key)->count, rest);
        walks->told.of[i] += rest;
    }
    if (paths->contexts)
        context_paths_give(&paths->in_contexts, paths->contexts, profile, pid);
}

void trace_paths_give(struct trace_paths *paths, struct profile *profile)
{
    struct batch_table *from = &paths->batch.paths;
    path_series_give(&paths->walks.series, profile, 0);
    for (uint32_t i = 0; i < from->cells.n; i++) {
        uint64_t count = from->cells.at[i].count;
        if (count)
            sum_add(&table_at(&profile->paths, map_key(&from->keys, i))->count, count);
        from->cells.at[i] = (struct batch_cell){0};
    }
}
