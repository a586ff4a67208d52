#include "collect/banks.h"

#include "collect/share.h"

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
}

static void add(struct banks *banks, const uint64_t *counters, uint64_t from, uint64_t to)
{
    for (uint64_t i = from; i < to; i++)
        banks->sum.at[i] += __atomic_load_n(&counters[i], __ATOMIC_RELAXED);
}

/* Pages that nobody touched are not read: that would make them. */
static void bank_add(struct banks *banks, uint32_t slot)
{
    uint64_t at = channel_bank_at(banks->index, slot);
    struct share_stretch stretch = {.start = at, .end = at};
    if (!banks->mapped[slot])
        banks->mapped[slot] = share_map_bank(banks->share, banks->index, slot);
    if (!banks->mapped[slot])
        return;
    while (share_next(banks->share, &stretch, at + banks->sum.n * sizeof(uint64_t)))
        add(banks, banks->mapped[slot], (stretch.start - at) / sizeof(uint64_t),
            (stretch.end - at) / sizeof(uint64_t));
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
