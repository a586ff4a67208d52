#include "agent/agent.h"
#include "agent/altstack.h"

#include "agent/budget.h"
#include "agent/calibrate.h"
#include "agent/exact.h"
#include "agent/footprint.h"
#include "agent/loader.h"
#include "agent/maps.h"
#include "agent/plans.h"
#include "agent/signals.h"
#include "agent/thread.h"
#include "agent/tracer.h"
#include "agent/trap.h"
#include "agent/trigger.h"
#include "walk/sys.h"
#include "wire/attach.h"

#include <fcntl.h>
#include <linux/time.h>
#include <sys/mman.h>
#include <sys/syscall.h>

struct agent agent;

enum {
    HWCAP2_HAS_FSGSBASE = 2,
    ARCH_SHADOW_STACK_STATUS = 0x5005,
    CLOCK_SPIN_NS = 300000,
    SILENT_MAX = 20,
    DRAIN_MS = 20,
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

/* What coarse clocks can tell apart. */
uint64_t agent_tick_ns(void)
{
    struct __kernel_timespec tick = {.tv_nsec = 4000000};
    sys3(SYS_clock_getres, CLOCK_MONOTONIC_COARSE, (long)&tick, 0);
    return (uint64_t)tick.tv_nsec;
}

/* As the kernel numbers the CPU-time clocks of threads. */
long agent_thread_clock(int32_t tid)
{
    return (int32_t)(~(uint32_t)tid << 3 | 6);
}

uint64_t agent_thread_cpu_ns(int32_t tid)
{
    return clock_ns(agent_thread_clock(tid));
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

/* No walk that begins from now on runs copies from before; those that have begun end within a millisecond of
 * their own time. Who has lost its CPU for long is not waited for: an exact run is never without users. */
static void copies_are_stale(void)
{
    __atomic_store_n(&agent.stale, 1, __ATOMIC_SEQ_CST);
    if (agent.options.mode != RECORD_SAMPLED || !agent.ticks_per_ms)
        return;
    uint64_t start = sys_tsc();
    while (gate_occupied(&agent.cache->gate) && sys_tsc() - start < DRAIN_MS * agent.ticks_per_ms)
        sys3(SYS_sched_yield, 0, 0, 0);
}

void agent_code_changed(uint64_t start, uint64_t bytes)
{
    const struct regions *regions = agent.regions;
    bool changed = false;
    for (uint32_t i = 0; regions && i < regions->n; i++)
        changed |= regions->at[i].start < start + bytes && regions->at[i].end > start &&
                   regions->at[i].kind == REGION_LASTING;
    if (changed)
        copies_are_stale();
}

void agent_modules_closed(void)
{
    uint64_t print;
    if (agent.channel && agent.cache &&
        (!loader_fingerprint(agent.loader, &print) || print != agent.loader_print))
        copies_are_stale();
}

void agent_retire(enum loss why)
{
    if (!agent.channel || agent.retired)
        return;
    agent.retired = 1;
    if (agent.options.mode != RECORD_SAMPLED)
        return;
    agent_lose(why);
    for (uint32_t i = 0; i < agent.n_threads; i++)
        if (agent.threads[i].tid > 0)
            trigger_disarm(&agent.threads[i]);
}

/* It reads about once a second, and each time says what it has used. Looks are counted, not seconds: after a
 * machine has slept nobody has been told anything. */
void agent_heed_tool(void)
{
    uint64_t told = __atomic_load_n(&agent.channel->tool_cpu_ns, __ATOMIC_RELAXED);
    uint64_t now = sys_tsc();
    if (now - agent.tool_looked_tsc < 1000 * agent.ticks_per_ms)
        return;
    agent.tool_looked_tsc = now;
    agent.channel->memory_bytes = footprint_bytes();
    agent.tool_silent = told == agent.tool_told_ns ? agent.tool_silent + 1 : 0;
    agent.tool_told_ns = told;
    if (tracer_present())
        agent_retire(LOSS_traced);
    else if (agent.tool_silent >= SILENT_MAX)
        agent_retire(LOSS_trigger_lost);
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

/* What does not depend on the channel; a fork has it already. */
static bool memory_map(void)
{
    agent.cache = map_private(sizeof(struct cache));
    if (!agent.cache)
        return false;
    agent.cache->zones.arena = map_shared(-1, 0, ZONES_ARENA_BYTES, 0);
    agent.regions = map_private(sizeof(struct regions));
    agent.threads = map_private(CHANNEL_THREADS * sizeof(struct thread));
    return agent.cache->zones.arena && agent.regions && agent.threads &&
           cache_init(agent.cache, agent.regions, agent.cache->zones.arena) &&
           (agent.cache->guards = map_private(sizeof(struct guards)));
}

/* Of a channel, what is used of it: its own bank is behind all else. */
static uint64_t channel_bytes(void)
{
    return agent.options.mode != RECORD_EXACT_COUNTS ? (uint64_t)CHANNEL_COUNTERS_AT
           : plans_wanted()                          ? CHANNEL_BYTES
                                                     : CHANNEL_COUNTERS_AT + CHANNEL_COUNTERS_BYTES;
}

static void unmap(void *at, uint64_t bytes)
{
    if (at)
        sys3(SYS_munmap, (long)at, (long)bytes, 0);
}

void agent_unmap(void)
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
    struct channel *channel =
        map_shared(fd, DIRECTORY_BYTES + (uint64_t)number * CHANNEL_BYTES, channel_bytes(), 0);
    if (!channel) {
        __atomic_fetch_add(&agent.directory->not_claimed, 1, __ATOMIC_RELAXED);
        return false;
    }
    agent.index = (uint32_t)number;
    channel->pid = pid;
    channel->mode = agent.options.mode;
    agent.ring = (struct ring){.channel = channel, .bytes = (uint8_t *)channel + CHANNEL_RING_AT};
    agent.cache->maps_bytes = &channel->maps_bytes;
    agent.cache->maps_marked = 0;
    agent.cache->units = (struct units){.base = (uint8_t *)channel + CHANNEL_UNITS_AT,
                                        .room = CHANNEL_UNITS_BYTES,
                                        .published = &channel->units_bytes,
                                        .counters = &channel->counters};
    agent.cache->max_counters = CHANNEL_COUNTERS_BYTES / 8;
    agent.channel = channel;
    return true;
}

bool agent_connect_by(long fd, const struct agent_place *place)
{
    agent.directory = map_shared(fd, 0, DIRECTORY_BYTES, 0);
    if (!agent.directory || agent.directory->magic != DIRECTORY_MAGIC ||
        agent.directory->version != CHANNEL_VERSION || !(place->hwcap2 & HWCAP2_HAS_FSGSBASE))
        return false;
    agent.options = agent.directory->options;
    agent.signal = place->untold ? TRIGGER_SIGNAL_UNTOLD : TRIGGER_SIGNAL;
    if (!memory_map()) {
        __atomic_fetch_add(&agent.directory->not_claimed, 1, __ATOMIC_RELAXED);
        return false;
    }
    if (!channel_open(fd, place->pid))
        return false;
    agent.regions->untold = place->untold && agent.options.mode == RECORD_SAMPLED;
    if (place->untold && agent.options.mode == RECORD_SAMPLED &&
        !(agent.cache->witness = map_private(sizeof(struct witness))))
        return false;
    if (agent.options.mode == RECORD_SAMPLED || agent.options.mode == RECORD_EXACT_TRACE)
        agent.cache->events = agent.options.events;
    agent.cache->keeps_words = agent.options.compress[0];
    if (plans_wanted() && !plans_open(fd))
        return false;
    agent.loader = place->loader;
    agent.text_start = place->text_start;
    agent.text_end = place->text_end;
    return true;
}

long agent_share_open(void)
{
    if (agent.share_fd > 0)
        return sys3(SYS_fcntl, agent.share_fd, F_DUPFD_CLOEXEC, 3);
    return sys6(SYS_openat, AT_FDCWD, (long)agent.path, O_RDWR | O_CLOEXEC, 0, 0, 0);
}

bool agent_connect(const char *path, const struct agent_place *place)
{
    for (uint32_t i = 0; path[i] && i + 1 < sizeof agent.path; i++)
        agent.path[i] = path[i];
    long fd = agent_share_open();
    if (sys_failed(fd))
        return false;
    bool connected = agent_connect_by(fd, place);
    sys3(SYS_close, fd, 0, 0);
    if (!connected)
        agent_unmap();
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
}

/* Until the rate of the TSC is known well enough. */
static void clock_spin(void)
{
    while (clock_ns(CLOCK_MONOTONIC) - agent.start_ns < CLOCK_SPIN_NS)
        continue;
    agent_clock();
}

/* Everything the tool must know before the first walk; then it may look. */
static void channel_begin(void)
{
    agent.n_told = 0;
    agent.regions->refresh = maps_refresh;
    maps_read(agent.regions);
    if (!loader_fingerprint(agent.loader, &agent.loader_print))
        agent.loader_print = 0;
    __atomic_store_n(&agent.channel->state, CHANNEL_LIVE, __ATOMIC_RELEASE);
    plans_begin();
}

static void sampling_start(struct thread *thread)
{
    signals_own();
    if (thread)
        trap_begin(thread);
    if (!thread || !thread_equip(thread) || !trigger_open(thread)) {
        agent_lose(LOSS_trigger_lost);
        return;
    }
    altstack_lend(thread);
    calibrate(thread);
    budget_init();
    thread->means = agent.means;
    trigger_arm(thread, agent.options.delay_ns ? agent.options.delay_ns : budget_next_ns(thread));
}

bool agent_begin(void)
{
    clock_start();
    clock_spin();
    channel_begin();
    bool walkable = !has_shadow_stack();
    if (!walkable)
        agent_lose(LOSS_at_shadow_stack);
    return walkable;
}

void agent_start(void)
{
    if (!agent_begin())
        return;
    if (tracer_present()) {
        agent_lose(LOSS_traced);
        agent.retired = 1;
        return;
    }
    struct thread *thread = thread_adopt((int32_t)sys3(SYS_gettid, 0, 0, 0));
    if (agent.options.mode == RECORD_SAMPLED) {
        sampling_start(thread);
        return;
    }
    agent.calibrated = UINT32_MAX;
    if (thread && thread_equip(thread))
        exact_take_over(thread);
    else
        agent_lose(LOSS_exact_left);
}

/* ---- threads and forks */

/* What is left of the delay that the user asked for. */
static uint64_t delay_left(void)
{
    uint64_t gone = clock_ns(CLOCK_MONOTONIC) - agent.start_ns;
    return agent.options.delay_ns > gone ? agent.options.delay_ns - gone : 0;
}

void agent_thread_start(struct thread *thread)
{
    uint64_t first = budget_first_ns(thread), delay = delay_left();
    if (trigger_open_timer(thread))
        trigger_arm(thread, first > delay ? first : delay);
    else if (thread_lives(thread))
        agent_lose(LOSS_trigger_lost);
}

bool agent_samples(void)
{
    return agent.channel && agent.options.mode == RECORD_SAMPLED && !agent.retired && agent.window;
}

void agent_thread_begins(bool trap_blocked)
{
    struct thread *thread =
        agent_samples() ? thread_adopt((int32_t)sys3(SYS_gettid, 0, 0, 0)) : NULL;
    if (!thread)
        return;
    thread->trap_blocked = trap_blocked;
    altstack_lend(thread);
    agent_thread_start(thread);
}

void agent_thread_ends(void)
{
    struct thread *thread = agent_samples() ? thread_self() : NULL;
    if (!thread)
        return;
    altstack_take_back(thread);
    thread_release(thread);
}

/* The descriptors are copies of the parent's; the clocks behind them are not ours. Everything else, also
 * the shared pages of the code cache, is left alone until there is a sample: most forks soon call exec. */
void agent_forked(bool trap_blocked)
{
    if (!agent_samples())
        return;
    for (uint32_t i = 0; i < agent.n_threads; i++) {
        struct thread *thread = &agent.threads[i];
        if (thread->tid > 0 && thread->perf_fd >= 0)
            sys3(SYS_close, thread->perf_fd, 0, 0);
        thread->tid = 0;
    }
    agent.parent = agent.channel;
    agent.orphan = 1;
    agent.pid = (int32_t)sys3(SYS_getpid, 0, 0, 0);
    agent.n_threads = agent.n_descriptors = 0;
    struct thread *thread = thread_adopt(agent.pid);
    if (!thread)
        return;
    thread->trap_blocked = trap_blocked;
    altstack_lend(thread);
    agent_thread_start(thread);
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

bool agent_reborn(void)
{
    agent.orphan = 0;
    long fd = agent_share_open();
    bool born = !sys_failed(fd) && cache_renew() && channel_open(fd, 0);
    if (!sys_failed(fd))
        sys3(SYS_close, fd, 0, 0);
    if (!born) {
        agent_add(&agent.parent->losses[LOSS_child_native], 1);
        agent.channel = NULL;
        return false;
    }
    struct channel *channel = agent.channel;
    clock_start();
    channel->tsc_hz = agent.parent->tsc_hz;
    channel->trigger = agent.parent->trigger;
    channel->delivery_ticks = agent.parent->delivery_ticks;
    channel->window = agent.window;
    channel->trail = agent.trail;
    agent.stale = 0;
    agent.ran_ns = agent.spent_ns = 0;
    channel_begin();
    for (uint32_t i = 0; i < agent.n_threads; i++)
        if (agent.threads[i].tid > 0)
            thread_enlist(&agent.threads[i]);
    return true;
}
