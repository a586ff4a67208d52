#include "store/blur.h"

#include "profile/profile.h"

#include <string.h>

/* The same tree with all threads as one. */
static void threads_join(struct stacks *stacks)
{
    struct stacks joined;
    struct {
        VEC(uint32_t);
    } nodes = {0};
    stacks_init(&joined);
    joined.maxima = stacks->maxima;
    for (uint32_t i = 0; i < stacks->nodes.n; i++) {
        struct stack_key key = stacks_key(stacks, i);
        bool thread = key.parent == STACK_NONE && key.module == MODULE_NONE;
        uint32_t parent = key.parent == STACK_NONE ? STACK_NONE : nodes.at[key.parent];
        *vec_push(&nodes) =
            stacks_node(&joined, parent, key.module, thread ? stack_thread(1, 1) : key.address);
    }
    for (uint32_t i = 0; i < stacks->cells.n; i++) {
        struct stack_cell cell;
        memcpy(&cell, map_key(&stacks->cells, i), sizeof cell);
        stacks_add(&joined, nodes.at[cell.node], cell.group, stacks->weights.at[i]);
    }
    vec_release(&nodes);
    stacks_release(stacks);
    *stacks = joined;
}

static void threads_add_up(struct profile *profile, const char *service)
{
    struct thread_times sum = {0};
    for (size_t i = 0; i < profile->threads.n; i++)
        thread_times_add(&sum, &profile->threads.at[i]);
    if (!profile->threads.n)
        return;
    profile->threads.n = 0;
    struct thread_times *row = threads_row(&profile->threads, &profile->arena, 1, 1,
                                           arena_string(&profile->arena, service));
    thread_times_add(row, &sum);
}

/* Takes out what is of one recording. Of clocks the first is the one that is computed with. */
static void facts_thin(struct facts *facts)
{
    static const char *const each[] = {"agent_memory", "boot_id", "frequency", "tsc_at"};
    size_t kept = 0;
    for (size_t i = 0; i < facts->n; i++) {
        const struct fact *fact = &facts->at[i];
        bool of_one = kept && strcmp(fact->key, "tsc_hz") == 0 &&
                      strcmp(facts->at[kept - 1].key, fact->key) == 0;
        for (size_t k = 0; k < sizeof each / sizeof *each; k++)
            of_one |= strcmp(fact->key, each[k]) == 0;
        if (!of_one)
            facts->at[kept++] = *fact;
    }
    facts->n = kept;
}

static void host_forget(struct facts *facts)
{
    size_t kept = 0;
    for (size_t i = 0; i < facts->n; i++)
        if (strcmp(facts->at[i].key, "host") != 0)
            facts->at[kept++] = facts->at[i];
    facts->n = kept;
}

/* Squares of times of edges and ranges are in no interval, but for branches that fall through. They
 * are a third of a compressed body. */
static void squares_forget(struct profile *profile)
{
    for (uint32_t i = 0; i < profile->edges.n; i++) {
        struct edge_key key;
        memcpy(&key, map_key(&profile->edges.keys, i), sizeof key);
        profile->edges.at[i].time_xy = 0;
        if (key.kind != EDGE_FALL)
            profile->edges.at[i].time_yy = 0;
    }
    for (uint32_t i = 0; i < profile->ranges.n; i++)
        profile->ranges.at[i].time_yy = profile->ranges.at[i].time_xy = 0;
}

void profile_compact(struct profile *profile, const char *service)
{
    squares_forget(profile);
    facts_thin(&profile->facts);
    if (service)
        profile->command = arena_string(&profile->arena, service);
    stacks_clear(&profile->times);
    stacks_clear(&profile->wait_times);
    batch_log_release(&profile->log);
    windows_clear(&profile->windows);
    path_parts_clear(&profile->path_parts);
    profile->samples.n = 0;
}

void profile_blur(struct profile *profile, const char *service)
{
    threads_join(&profile->stacks);
    threads_join(&profile->waits);
    threads_join(&profile->events);
    threads_join(&profile->context_paths);
    threads_add_up(profile, service);
    host_forget(&profile->facts);
    profile_compact(profile, service);
}
