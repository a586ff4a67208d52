#include "agent/sampling/tally.h"

#include "agent/base/process.h"
#include "agent/base/thread.h"
#include "walk/base/sys.h"

#include <sys/mman.h>
#include <sys/syscall.h>

/* An old length of 0 makes a second mapping of shared memory: no descriptor is needed. A fork has
 * other counters than its parent. */
static bool counters_show(struct thread *thread)
{
    if (thread->counts_in == agent.channel)
        return true;
    uint64_t from = (uint64_t)agent.channel + CHANNEL_COUNTERS_AT;
    long at = sys6(SYS_mremap, (long)from, 0, CHANNEL_COUNTERS_BYTES, MREMAP_MAYMOVE | MREMAP_FIXED,
                   (long)thread->context->counters, 0);
    thread->counts_in = sys_failed(at) ? NULL : agent.channel;
    return thread->counts_in;
}

/* Since the last walk the program has evicted counters from the caches. Copies would wait for each;
 * fetched one after the other, they take a few ticks a line. */
static void counters_fetch(const struct context *context)
{
    enum { LINE = 64, MOST = 1 << 16 };
    const uint8_t *at = (const uint8_t *)context->counters;
    uint64_t bytes = sizeof(uint32_t) * (uint64_t)agent.cache->units.n_counters;
    bytes = bytes < MOST ? bytes : MOST;
    for (uint64_t i = 0; i < bytes; i += LINE)
        __builtin_prefetch(at + i, 1);
}

bool tally_claim(struct thread *thread)
{
    if (__atomic_exchange_n(&agent.counting, 1, __ATOMIC_ACQUIRE))
        return false;
    thread->progress.counting = true;
    if (counters_show(thread)) {
        counters_fetch(thread->context);
        return true;
    }
    tally_leave(thread);
    return false;
}

bool tally_discard(struct thread *thread)
{
    tally_leave(thread);
    thread->counts_in = NULL;
    long at = sys6(SYS_mmap, (long)thread->context->counters, CHANNEL_COUNTERS_BYTES,
                   PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE,
                   -1, 0);
    return !sys_failed(at);
}

void tally_leave(struct thread *thread)
{
    if (thread->progress.counting)
        __atomic_store_n(&agent.counting, 0, __ATOMIC_RELEASE);
    thread->progress.counting = false;
}
