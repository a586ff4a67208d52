#include "agent/channel/connect.h"

#include "agent/base/descriptor.h"
#include "agent/base/process.h"
#include "agent/base/thread.h"
#include "agent/channel/plans.h"
#include "walk/base/sys.h"
#include "wire/attach.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

enum { HWCAP2_HAS_FSGSBASE = 2 };
#define CHANNEL_FAR (UINT64_C(1) << 31)
_Static_assert(CHANNEL_BYTES <= CHANNEL_FAR && CHANNEL_N * CHANNEL_FAR <= UINT64_C(1) << 40,
               "channels lie apart");

static void *map_private(uint64_t bytes)
{
    long at = sys6(SYS_mmap, 0, (long)bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return sys_failed(at) ? NULL : (void *)at;
}

/* `near`: where it would best lie; 0: anywhere. */
static void *map_shared(long fd, uint64_t at, uint64_t bytes, uint64_t near)
{
    long flags = fd < 0 ? MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED;
    long address =
        sys6(SYS_mmap, (long)near, (long)bytes, PROT_READ | PROT_WRITE, flags, fd, (long)at);
    return sys_failed(address) ? NULL : (void *)address;
}

static int32_t channel_claim(struct directory *directory, int32_t pid)
{
    for (int32_t i = 0; i < CHANNEL_N; i++) {
        int32_t free = 0;
        if (__atomic_compare_exchange_n(&directory->claimed_by[i], &free, pid, false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            return i;
    }
    __atomic_fetch_add(&directory->not_claimed, 1, __ATOMIC_RELAXED);
    return -1;
}

static bool threads_map(void)
{
    agent.threads = map_private(CHANNEL_THREADS * sizeof(struct thread));
    return agent.threads;
}

/* What does not depend on the channel; the fork of a process that has one has it already. */
static bool memory_map(void)
{
    agent.cache = map_private(sizeof(struct cache));
    if (!agent.cache)
        return false;
    agent.cache->zones.arena = map_shared(-1, 0, ZONES_ARENA_BYTES, 0);
    agent.regions = map_private(sizeof(struct regions));
    return agent.cache->zones.arena && agent.regions &&
           cache_init(agent.cache, agent.regions, agent.cache->zones.arena) &&
           (agent.cache->guards = map_private(sizeof(struct guards)));
}

/* Of a channel, what is used of it: its own bank is behind all else. */
static uint64_t channel_bytes(void)
{
    bool counts = agent.options.mode == RECORD_EXACT_COUNTS || agent.options.tally;
    return !counts          ? (uint64_t)CHANNEL_COUNTERS_AT
           : plans_wanted() ? CHANNEL_BYTES
                            : CHANNEL_COUNTERS_AT + CHANNEL_COUNTERS_BYTES;
}

static void unmap(void *at, uint64_t bytes)
{
    if (at)
        sys3(SYS_munmap, (long)at, (long)bytes, 0);
}

void connect_undo(void)
{
    for (uint32_t i = 0; agent.threads && i < agent.n_threads; i++)
        unmap(agent.threads[i].context, thread_context_bytes());
    if (agent.cache)
        cache_unmap(agent.cache);
    unmap(agent.threads, CHANNEL_THREADS * sizeof(struct thread));
    unmap(agent.regions, sizeof(struct regions));
    if (agent.cache) {
        unmap(agent.cache->witness, sizeof(struct witness));
        unmap(agent.cache->guards, sizeof(struct guards));
        plans_close();
    }
    unmap(agent.cache, sizeof(struct cache));
    if (agent.channel != agent.parent)
        unmap(agent.channel, channel_bytes());
    unmap(agent.directory, DIRECTORY_BYTES);
    agent.threads = NULL;
    agent.regions = NULL;
    agent.cache = NULL;
    agent.channel = NULL;
    agent.directory = NULL;
    agent.n_threads = 0;
}

/* Claims a channel of the mapped directory. */
static bool channel_open(long fd, int32_t known_as)
{
    agent.pid = (int32_t)sys3(SYS_getpid, 0, 0, 0);
    int32_t pid = known_as ? known_as : agent.pid;
    int32_t number = channel_claim(agent.directory, pid);
    if (number < 0)
        return false;
    /* With a bank of its own it takes a gigabyte: far from the program (agent.h). */
    bool begun = !known_as && agent.share_fd <= 0;
    uint64_t near = plans_wanted() && begun ? AGENT_FAR + (uint64_t)number * CHANNEL_FAR : 0;
    struct channel *channel =
        map_shared(fd, DIRECTORY_BYTES + (uint64_t)number * CHANNEL_BYTES, channel_bytes(), near);
    if (!channel) {
        __atomic_fetch_add(&agent.directory->not_claimed, 1, __ATOMIC_RELAXED);
        return false;
    }
    agent.index = (uint32_t)number;
    channel->pid = pid;
    channel->mode = agent.options.mode;
    agent.ring = (struct ring){.channel = channel, .bytes = (uint8_t *)channel + CHANNEL_RING_AT};
    unit_log_open(&agent.cache->units, (uint8_t *)channel + CHANNEL_UNITS_AT, CHANNEL_UNITS_BYTES,
                  &channel->units_bytes, &channel->counters, CHANNEL_COUNTERS_BYTES / 8);
    agent.cache->units.maps_bytes = &agent.maps_bytes;
    agent.maps_bytes = 0;
    agent.channel = channel;
    return true;
}

/* The cache, for what the options want. */
static void cache_suit(void)
{
    if (agent.options.mode == RECORD_SAMPLED || agent.options.mode == RECORD_EXACT_TRACE)
        agent.cache->events = agent.options.events;
    agent.cache->keeps_words = agent.options.compress[0];
    agent.cache->tallies = agent.options.mode == RECORD_SAMPLED && agent.options.tally;
}

static bool directory_open(long fd, const struct agent_place *place)
{
    agent.directory = map_shared(fd, 0, DIRECTORY_BYTES, 0);
    if (!agent.directory || agent.directory->magic != DIRECTORY_MAGIC ||
        agent.directory->version != CHANNEL_VERSION || !(place->hwcap2 & HWCAP2_HAS_FSGSBASE))
        return false;
    agent.options = agent.directory->options;
    agent.signal = place->untold ? TRIGGER_SIGNAL_UNTOLD : TRIGGER_SIGNAL;
    agent.pid = (int32_t)sys3(SYS_getpid, 0, 0, 0);
    agent.loader = place->loader;
    agent.text_start = place->text_start;
    agent.text_end = place->text_end;
    return true;
}

static bool rest_open(long fd, const struct agent_place *place)
{
    bool sampled = agent.options.mode == RECORD_SAMPLED;
    if (!threads_map() || !memory_map()) {
        __atomic_fetch_add(&agent.directory->not_claimed, 1, __ATOMIC_RELAXED);
        return false;
    }
    if (!channel_open(fd, place->pid))
        return false;
    agent.regions->untold = place->untold && sampled;
    if (place->untold && sampled && !(agent.cache->witness = map_private(sizeof(struct witness))))
        return false;
    cache_suit();
    return !plans_wanted() || plans_open(fd);
}

bool connect_by(long fd, const struct agent_place *place)
{
    return directory_open(fd, place) && rest_open(fd, place);
}

/* A process that has no channel yet: what is written to one meanwhile nobody reads. */
static bool orphan_begin(void)
{
    static struct channel nobody_reads;
    if (!threads_map())
        return false;
    agent.channel = agent.parent = &nobody_reads;
    agent.orphan = ORPHAN_WAITS;
    agent.begun = true;
    return true;
}

bool connect_tool_lives(void)
{
    uint32_t tool = __atomic_load_n(&agent.directory->tool, __ATOMIC_ACQUIRE);
    return tool && !(tool & DIRECTORY_TOOL_DIED);
}

long connect_share(void)
{
    if (agent.share_fd > 0)
        return descriptor_copy(agent.share_fd);
    return descriptor_open(AT_FDCWD, agent.path, O_RDWR);
}

bool connect_path(const char *path, const struct agent_place *place, bool (*waits)(void))
{
    for (uint32_t i = 0; path[i] && i + 1 < sizeof agent.path; i++)
        agent.path[i] = path[i];
    long fd = connect_share();
    if (sys_failed(fd))
        return false;
    bool connected = directory_open(fd, place) && (waits() ? orphan_begin() : rest_open(fd, place));
    descriptor_shut(fd);
    if (!connected)
        connect_undo();
    return connected;
}

bool connect_first(void)
{
    int32_t *first = &agent.directory->first_pid, none = 0;
    return __atomic_compare_exchange_n(first, &none, agent.pid, false, __ATOMIC_RELAXED,
                                       __ATOMIC_RELAXED) ||
           none == agent.pid;
}

/* After as many processes as there are bits, one that was not forked by libc may be missed. */
void connect_count(int32_t pid, bool fresh)
{
    uint32_t at = (uint32_t)pid % DIRECTORY_PIDS;
    uint64_t *word = &directory_pids(agent.directory)[at / 64], bit = UINT64_C(1) << at % 64;
    if (!(__atomic_fetch_or(word, bit, __ATOMIC_RELAXED) & bit) || fresh)
        agent_add(&agent.directory->processes, 1);
}

/* The code cache of a fork: its pages are the parent's, so it gets new ones. */
static bool cache_renew(void)
{
    uint8_t *arena = map_shared(-1, 0, ZONES_ARENA_BYTES, 0);
    if (!arena)
        return false;
    cache_rehouse(agent.cache, arena);
    return true;
}

static bool cache_first(void)
{
    if (!memory_map())
        return false;
    cache_suit();
    return true;
}

bool connect_orphan(void)
{
    long fd = connect_share();
    if (sys_failed(fd))
        return false;
    bool connected = (agent.cache ? cache_renew() : cache_first()) && channel_open(fd, 0);
    descriptor_shut(fd);
    return connected;
}
