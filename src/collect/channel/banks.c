#include "collect/channel/banks.h"

#include "collect/channel/share.h"
#include "process/units.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A bank is emptied within milliseconds. */
enum { TRIES = 40, PAUSE_NS = 250000 };

void banks_init(struct banks *banks, const struct share *share, uint32_t index,
                struct channel *channel)
{
    *banks = (struct banks){.share = share, .index = index, .channel = channel};
}

void banks_release(struct banks *banks)
{
    for (uint32_t i = 0; i < CHANNEL_THREADS; i++)
        if (banks->mapped[i])
            share_unmap_bank(banks->mapped[i]);
    vec_release(&banks->sum);
    vec_release(&banks->paths);
}

static void add(struct banks *banks, const uint64_t *counters, uint64_t from, uint64_t to)
{
    for (uint64_t i = from; i < to; i++)
        banks->sum.at[i] += __atomic_load_n(&counters[i], __ATOMIC_RELAXED);
}

/* Pages that nobody touched are not read: that would make them. */
static void add_touched(struct banks *banks, const uint64_t *counters, uint64_t at)
{
    struct share_stretch stretch = {.start = at, .end = at};
    while (share_next(banks->share, &stretch, at + banks->sum.n * sizeof(uint64_t)))
        add(banks, counters, (stretch.start - at) / sizeof(uint64_t),
            (stretch.end - at) / sizeof(uint64_t));
}

const void *banks_map(struct banks *banks, uint32_t slot)
{
    if (!banks->mapped[slot] && banks->share)
        banks->mapped[slot] = share_map_bank(banks->share, banks->index, slot);
    return banks->mapped[slot];
}

static void bank_add(struct banks *banks, uint32_t slot)
{
    const uint64_t *bank = banks_map(banks, slot);
    if (bank)
        add_touched(banks, bank, channel_bank_at(banks->index, slot));
}

static void sum_make(struct banks *banks, uint64_t n)
{
    uint64_t published = share_load(&banks->channel->counters), slots = 0;
    const uint64_t most = CHANNEL_COUNTERS_BYTES / sizeof(uint64_t);
    n = n < published ? n : published;
    n = n < most ? n : most;
    const void *own = (const unsigned char *)banks->channel + CHANNEL_COUNTERS_AT;
    banks->sum.n = 0;
    vec_room(&banks->sum, n);
    banks->sum.n = n;
    if (n)
        memset(banks->sum.at, 0, n * sizeof *banks->sum.at);
    if (banks->share)
        add_touched(banks, own, share_own_bank_at(banks->index));
    else
        add(banks, own, 0, n);
    banks->threads = 1;
    if (banks->share)
        slots = share_load(&banks->channel->n_threads);
    for (uint32_t i = 0; i < slots && i < CHANNEL_THREADS; i++) {
        if (!__atomic_load_n(&channel_threads(banks->channel)[i].tid, __ATOMIC_ACQUIRE))
            continue;
        bank_add(banks, i);
        banks->threads++;
    }
}

bool banks_read(struct banks *banks, uint64_t n, bool last)
{
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    for (int i = 0; i < TRIES; i++) {
        uint64_t before = share_load(&banks->channel->merges);
        if (before % 2 == 0) {
            sum_make(banks, n);
            __atomic_thread_fence(__ATOMIC_ACQUIRE);
            if (before == __atomic_load_n(&banks->channel->merges, __ATOMIC_RELAXED))
                return true;
        }
        nanosleep(&pause, NULL);
    }
    if (last)
        sum_make(banks, n);
    return last;
}

/* ---- tables of paths */

static void paths_collect(struct banks *banks, const void *bank, uint64_t at)
{
    const struct wire_path *paths = (const void *)((const unsigned char *)bank + PATHS_AT);
    uint64_t start = at + PATHS_AT;
    struct share_stretch stretch = {.start = start, .end = start};
    while (share_next(banks->share, &stretch, start + PATHS_BYTES))
        for (uint64_t i = (stretch.start - start) / sizeof *paths;
             i < (stretch.end - start) / sizeof *paths; i++)
            if (paths[i].count)
                *vec_push(&banks->paths) = paths[i];
}

static int by_path(const void *a, const void *b)
{
    const struct wire_path *x = a, *y = b;
    if (x->function != y->function)
        return x->function < y->function ? -1 : 1;
    return x->path < y->path ? -1 : x->path > y->path;
}

static void paths_add_up(struct banks *banks)
{
    size_t n = 0;
    for (size_t i = 0; i < banks->paths.n; i++) {
        struct wire_path *last = n ? &banks->paths.at[n - 1] : NULL, *next = &banks->paths.at[i];
        if (last && by_path(last, next) == 0) {
            last->count += next->count;
            last->ticks += next->ticks;
        } else {
            banks->paths.at[n++] = *next;
        }
    }
    banks->paths.n = n;
}

const struct wire_path *banks_path(const struct banks *banks, uint32_t function, uint64_t path)
{
    struct wire_path key = {.function = function, .path = path};
    return banks->paths.n ? bsearch(&key, banks->paths.at, banks->paths.n, sizeof key, by_path)
                          : NULL;
}

static void paths_known(struct banks *banks, const struct unit_paths *known)
{
    for (size_t i = 0; i < known->n; i++) {
        const struct unit_path *path = &known->at[i];
        uint64_t at = path->counter;
        if (!path->in_node && at + path->ticks < banks->sum.n && banks->sum.at[at])
            *vec_push(&banks->paths) =
                (struct wire_path){.path = path->path,
                                   .function = path->function,
                                   .count = banks->sum.at[at],
                                   .ticks = path->ticks ? banks->sum.at[at + 1] : 0};
    }
}

void banks_read_paths(struct banks *banks, const struct unit_paths *known)
{
    uint64_t slots = banks->share ? share_load(&banks->channel->n_threads) : 0;
    const void *own = (const unsigned char *)banks->channel + CHANNEL_COUNTERS_AT;
    banks->paths.n = 0;
    if (banks->share)
        paths_collect(banks, own, share_own_bank_at(banks->index));
    for (uint32_t i = 0; i < slots && i < CHANNEL_THREADS; i++) {
        const void *bank = banks_map(banks, i);
        if (bank)
            paths_collect(banks, bank, channel_bank_at(banks->index, i));
    }
    paths_known(banks, known);
    if (banks->paths.n)
        qsort(banks->paths.at, banks->paths.n, sizeof *banks->paths.at, by_path);
    paths_add_up(banks);
}
