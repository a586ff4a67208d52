#include "agent/threads/bank.h"

#include "agent/base/descriptor.h"
#include "agent/base/process.h"
#include "agent/base/thread.h"
#include "agent/channel/connect.h"
#include "walk/base/sys.h"
#include "walk/count/flow.h"
#include "walk/count/path_table.h"

#include <linux/fs.h>
#include <sys/mman.h>
#include <sys/syscall.h>

enum { NOTHING_BEHIND = 6 }; /* ENXIO */

/* With a plan all of it; counters are enough without. */
static uint64_t bank_bytes(void)
{
    return agent.cache->plan ? CHANNEL_BANK_BYTES : CHANNEL_COUNTERS_BYTES;
}

/* ---- forks */

static uint64_t tree_bytes(const struct thread *thread)
{
    return ((uint64_t)thread->context->nodes_used + 4095) & ~UINT64_C(4095);
}

/* What is kept is the part of a bank that has nodes. */
static uint8_t *kept_bank(const struct thread *thread)
{
    return thread->kept_tree - NODES_AT;
}

void bank_fork(struct thread *thread)
{
    thread->kept_tree = NULL;
    if (!agent.cache->contexts || !thread->context->nodes_used)
        return;
    long at = sys6(SYS_mmap, 0, (long)tree_bytes(thread), PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (sys_failed(at))
        return;
    thread->kept_tree = (uint8_t *)at;
    contexts_copy(agent.cache->contexts, thread->context, (uint8_t *)thread->context->counters,
                  kept_bank(thread));
}

void bank_forked(struct thread *thread)
{
    if (thread->kept_tree)
        sys3(SYS_munmap, (long)thread->kept_tree, (long)tree_bytes(thread), 0);
    thread->kept_tree = NULL;
}

/* A fork goes on in the context that it was in, in a bank of its own. */
static bool contexts_inherit(const struct thread *thread, long fd)
{
    if (!thread->kept_tree)
        return false;
    long at = sys6(SYS_mmap, 0, CHANNEL_BANK_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                   (long)channel_bank_at(agent.index, thread->slot));
    if (sys_failed(at))
        return false;
    contexts_copy(agent.cache->contexts, thread->context, kept_bank(thread), (uint8_t *)at);
    sys3(SYS_munmap, at, CHANNEL_BANK_BYTES, 0);
    return true;
}

/* ---- the bank */

bool bank_map(const struct thread *thread)
{
    long fd = connect_share();
    if (sys_failed(fd))
        return false;
    if (agent.cache->contexts && thread->context->nodes_used && !contexts_inherit(thread, fd)) {
        descriptor_shut(fd);
        return false;
    }
    long at =
        sys6(SYS_mmap, (long)thread->context->counters, (long)bank_bytes(), PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_FIXED, fd, (long)channel_bank_at(agent.index, thread->slot));
    if (agent.options.mode == RECORD_EXACT_TRACE && !sys_failed(at))
        at = sys6(SYS_mmap, (long)&thread->context->records[CONTEXT_RECORDS - TRACE_RECORDS],
                  TRACE_RECORDS * 4, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
                  (long)(channel_bank_at(agent.index, thread->slot) + TRACE_RECORDS_AT));
    descriptor_shut(fd);
    return !sys_failed(at);
}

/* ---- the end */

/* Part of a bank that somebody has written to: bytes from the bank's start. */
struct written {
    long fd;
    uint64_t bank; /* in the share */
    uint64_t start, end;
};

/* The next data before `limit`; holes are not read, since the kernel would allocate pages for them.
 * If the share cannot be asked: all of it. */
static bool written_next(struct written *written, uint64_t limit)
{
    uint64_t from = written->end;
    long end = (long)(written->bank + limit);
    long data = sys3(SYS_lseek, written->fd, (long)(written->bank + from), SEEK_DATA);
    if (from >= limit || data == -NOTHING_BEHIND || data >= end)
        return false;
    long hole = sys3(SYS_lseek, written->fd, data, SEEK_HOLE);
    bool known = data >= (long)(written->bank + from) && hole > data; /* else it is not the share */
    written->start = known ? (uint64_t)data - written->bank : from;
    written->end = known && hole <= end ? (uint64_t)hole - written->bank : limit;
    return true;
}

static void counters_merge(struct written *written, const uint64_t *counters, uint64_t *sums)
{
    uint64_t limit = (uint64_t)agent.cache->units.n_counters * sizeof *counters;
    while (written_next(written, limit))
        for (uint64_t i = written->start / sizeof *counters; i < written->end / sizeof *counters;
             i++)
            if (counters[i])
                sums[i] += counters[i];
}

void bank_merge(const struct thread *thread)
{
    struct channel *channel = agent.channel;
    uint64_t *sums = (uint64_t *)(void *)((uint8_t *)channel + CHANNEL_COUNTERS_AT);
    uint64_t *counters = thread->context->counters;
    struct written written = {.fd = connect_share(),
                              .bank = channel_bank_at(agent.index, thread->slot)};
    gate_lock(&agent.cache->gate, true);
    __atomic_store_n(&channel->merges, channel->merges + 1, __ATOMIC_RELEASE);
    counters_merge(&written, counters, sums);
    if (agent.cache->contexts)
        contexts_merge(agent.cache->contexts, thread->context, (uint8_t *)sums);
    else if (agent.cache->plan)
        flow_merge(thread->context, (uint8_t *)sums);
    written.end = PATHS_AT;
    while (agent.cache->plan && written_next(&written, PATHS_AT + PATHS_BYTES))
        paths_merge(thread->context, (uint8_t *)sums, written.start - PATHS_AT,
                    written.end - PATHS_AT);
    sys3(SYS_madvise, (long)counters, (long)bank_bytes(), MADV_REMOVE);
    if (agent.cache->plan) /* whoever is next may return to frames that are not its own */
        sys3(SYS_madvise, (long)((uint8_t *)thread->context + CONTEXT_SHADOW_AT),
             (long)CONTEXT_SHADOW_BYTES, MADV_DONTNEED);
    __atomic_store_n(&channel->merges, channel->merges + 1, __ATOMIC_RELEASE);
    gate_unlock(&agent.cache->gate);
    if (!sys_failed(written.fd))
        descriptor_shut(written.fd);
}
