#include "agent/agent.h"

#include "agent/budget.h"
#include "agent/calibrate.h"
#include "agent/exact.h"
#include "agent/loader.h"
#include "agent/maps.h"
#include "agent/signals.h"
#include "agent/trigger.h"
#include "walk/sys.h"

#include <fcntl.h>
#include <linux/time.h>
#include <sys/mman.h>
#include <sys/syscall.h>

struct agent agent;

enum {
    HWCAP2_HAS_FSGSBASE = 2,
    ARCH_SHADOW_STACK_STATUS = 0x5005,
    CLOCK_SPIN_NS = 300000,
    HUGE_BYTES = 2 << 20
};

static uint64_t clock_ns(long clock)
{
    struct __kernel_timespec now = {0};
    sys3(SYS_clock_gettime, clock, (long)&now, 0);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

uint64_t agent_cpu_ns(void)
{
    return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* a * b / c with a product of 128 bits; the compiler's own way would be an import. */
static uint64_t scale(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t high;
    __asm__("mulq %2\n divq %3" : "+a"(a), "=&d"(high) : "r"(b), "r"(c) : "cc");
    return a;
}

void agent_clock(void)
{
    uint64_t ns = clock_ns(CLOCK_MONOTONIC) - agent.start_ns;
    uint64_t ticks = sys_tsc() - agent.channel->start_tsc;
    if (ns == 0)
        return;
    agent.channel->tsc_hz = scale(ticks, 1000000000, ns);
    agent.ticks_per_ms = agent.channel->tsc_hz / 1000;
}

uint64_t agent_random(void)
{
    agent.random ^= agent.random << 13;
    agent.random ^= agent.random >> 7;
    agent.random ^= agent.random << 17;
    return agent.random;
}

void agent_lose_shared(enum loss loss)
{
    if (agent.channel && agent.options.mode == RECORD_SAMPLED)
        __atomic_fetch_add(&agent.channel->losses[loss], 1, __ATOMIC_RELAXED);
}

void agent_code_changed(uint64_t start, uint64_t bytes)
{
    const struct regions *regions = agent.regions;
    for (uint32_t i = 0; regions && i < regions->n; i++)
        if (regions->at[i].start < start + bytes && regions->at[i].end > start)
            __atomic_store_n(&agent.stale, 1, __ATOMIC_RELEASE);
}

void agent_retire(void)
{
    if (!agent.channel || agent.retired)
        return;
    agent.retired = 1;
    if (agent.options.mode == RECORD_SAMPLED) {
        trigger_disarm();
        agent_lose(LOSS_trigger_lost);
    }
}

void agent_forget(void)
{
    if (agent.options.mode == RECORD_SAMPLED)
        agent.channel = NULL;
}

static void *map_private(uint64_t bytes)
{
    long at = sys6(SYS_mmap, 0, (long)bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return sys_failed(at) ? NULL : (void *)at;
}

static void *map_shared(long fd, uint64_t at, uint64_t bytes, long fixed)
{
    long flags = fd < 0 ? MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED;
    long address = sys6(SYS_mmap, fixed, (long)bytes, PROT_READ | PROT_WRITE,
                        flags | (fixed ? MAP_FIXED : 0), fd, (long)at);
    return sys_failed(address) ? NULL : (void *)address;
}

static int32_t channel_claim(struct directory *directory)
{
    int32_t pid = (int32_t)sys3(SYS_getpid, 0, 0, 0);
    for (int32_t i = 0; i < CHANNEL_N; i++) {
        int32_t free = 0;
        if (__atomic_compare_exchange_n(&directory->claimed_by[i], &free, pid, false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            return i;
    }
    __atomic_fetch_add(&directory->not_claimed, 1, __ATOMIC_RELAXED);
    return -1;
}

/* The context, its tables on one huge page where the kernel has them: a walk starts with cold TLBs, and
 * in a virtual machine each miss costs two walks of page tables. */
static struct context *context_map(void)
{
    uint64_t bytes = sizeof(struct context) + CHANNEL_COUNTERS_BYTES;
    uint64_t at = (uint64_t)map_private(bytes + HUGE_BYTES);
    if (!at)
        return NULL;
    at = (at + HUGE_BYTES - 1) & ~(uint64_t)(HUGE_BYTES - 1);
    sys3(SYS_madvise, (long)at, HUGE_BYTES, MADV_HUGEPAGE);
    return (struct context *)at;
}

/* The context with the channel's counters behind it, the cache, its arena. */
static bool memory_map(long fd, uint64_t channel_at)
{
    agent.context = context_map();
    agent.cache = map_private(sizeof(struct cache));
    agent.regions = map_private(sizeof(struct regions));
    uint8_t *arena = map_shared(-1, 0, (uint64_t)CACHE_ZONES * CACHE_ZONE_BYTES, 0);
    if (!agent.context || !agent.cache || !agent.regions || !arena)
        return false;
    if (!map_shared(fd, channel_at + CHANNEL_COUNTERS_AT, CHANNEL_COUNTERS_BYTES,
                    (long)agent.context->counters))
        return false;
    context_init(agent.context);
    cache_init(agent.cache, agent.context, agent.regions, arena);
    agent.cache->units = (struct units){.base = (uint8_t *)agent.channel + CHANNEL_UNITS_AT,
                                        .room = CHANNEL_UNITS_BYTES,
                                        .published = &agent.channel->units_bytes,
                                        .counters = &agent.channel->counters};
    agent.cache->max_counters = CHANNEL_COUNTERS_BYTES / 8;
    agent.walk.cache = agent.cache;
    return true;
}

static bool connect_fd(long fd, const struct agent_place *place)
{
    agent.directory = map_shared(fd, 0, DIRECTORY_BYTES, 0);
    if (!agent.directory || agent.directory->magic != DIRECTORY_MAGIC ||
        agent.directory->version != CHANNEL_VERSION || !(place->hwcap2 & HWCAP2_HAS_FSGSBASE))
        return false;
    agent.options = agent.directory->options;
    int32_t number = channel_claim(agent.directory);
    if (number < 0)
        return false;
    uint64_t at = DIRECTORY_BYTES + (uint64_t)number * CHANNEL_BYTES;
    agent.channel = map_shared(fd, at, CHANNEL_BYTES, 0);
    if (!agent.channel || !memory_map(fd, at))
        return false;
    agent.ring = (struct ring){.channel = agent.channel,
                               .bytes = (uint8_t *)agent.channel + CHANNEL_RING_AT};
    agent.channel->pid = agent.pid = (int32_t)sys3(SYS_getpid, 0, 0, 0);
    agent.random = (agent.options.seed ^ (uint64_t)agent.channel->pid << 32) | 1;
    agent.loader = place->loader;
    agent.text_start = place->text_start;
    agent.text_end = place->text_end;
    return true;
}

bool agent_connect(const char *path, const struct agent_place *place)
{
    long fd = sys6(SYS_openat, AT_FDCWD, (long)path, O_RDWR | O_CLOEXEC, 0, 0, 0);
    if (sys_failed(fd))
        return false;
    bool connected = connect_fd(fd, place);
    sys3(SYS_close, fd, 0, 0);
    return connected;
}

/* A process whose returns the hardware checks against a shadow stack cannot run on copies. */
static bool has_shadow_stack(void)
{
    uint64_t status = 0;
    return !sys_failed(sys3(SYS_arch_prctl, ARCH_SHADOW_STACK_STATUS, (long)&status, 0)) &&
           status != 0;
}

static void clock_start(void)
{
    agent.start_ns = clock_ns(CLOCK_MONOTONIC);
    agent.channel->start_tsc = sys_tsc();
    channel_threads(agent.channel)[0].start_cpu_ns = agent_cpu_ns();
    channel_threads(agent.channel)[0].tid = agent.pid;
    agent.channel->n_threads = 1;
    while (clock_ns(CLOCK_MONOTONIC) - agent.start_ns < CLOCK_SPIN_NS)
        continue;
    agent_clock();
}

static void sampling_start(void)
{
    signals_own(true);
    if (!trigger_open()) {
        agent_lose(LOSS_trigger_lost);
        return;
    }
    calibrate();
    budget_init();
    trigger_arm(agent.options.delay_ns ? agent.options.delay_ns : budget_next_ns());
}

void agent_start(void)
{
    struct channel *channel = agent.channel;
    channel->mode = agent.options.mode;
    clock_start();
    agent.regions->refresh = maps_refresh;
    maps_read(agent.regions);
    if (!loader_fingerprint(agent.loader, &agent.loader_print))
        agent.loader_print = 0;
    __atomic_store_n(&channel->state, CHANNEL_LIVE, __ATOMIC_RELEASE);
    if (has_shadow_stack()) {
        agent_lose(LOSS_at_shadow_stack);
        return;
    }
    if (agent.options.mode == RECORD_SAMPLED) {
        sampling_start();
        return;
    }
    agent.calibrated = UINT32_MAX;
    signals_own(false);
    exact_take_over();
}
