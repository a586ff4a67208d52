#include "agent/threads/threads.h"

#include "agent/base/clock.h"
#include "agent/base/descriptor.h"
#include "agent/base/process.h"
#include "agent/base/ring.h"
#include "agent/base/thread.h"
#include "agent/threads/bank.h"
#include "agent/threads/event_page.h"
#include "agent/threads/stream.h"
#include "agent/threads/trace.h"
#include "agent/threads/trigger.h"
#include "walk/base/sys.h"
#include "walk/count/event_clock.h"

#include <fcntl.h>
#include <linux/prctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

static int32_t own_id(void)
{
    return (int32_t)sys3(SYS_gettid, 0, 0, 0);
}

/* ---- slots */

static struct thread *slot_claim(void)
{
    for (uint32_t i = 0; i < CHANNEL_THREADS; i++) {
        int32_t free = 0;
        if (!__atomic_compare_exchange_n(&agent.threads[i].tid, &free, -1, false, __ATOMIC_ACQUIRE,
                                         __ATOMIC_RELAXED))
            continue;
        uint32_t n = __atomic_load_n(&agent.n_threads, __ATOMIC_RELAXED);
        while (n < i + 1 && !__atomic_compare_exchange_n(&agent.n_threads, &n, i + 1, true,
                                                         __ATOMIC_RELEASE, __ATOMIC_RELAXED))
            continue;
        agent.threads[i].slot = i;
        return &agent.threads[i];
    }
    return NULL;
}

/* The name of a thread: of the calling one from the kernel's own copy, of another from /proc. */
static void name_read(int32_t tid, char name[16])
{
    static const char before[] = "/proc/self/task/", behind[] = "/comm";
    char path[sizeof before + sizeof behind + 12], digits[12];
    uint32_t at = 0, n = 0;
    if (tid == own_id()) {
        sys3(SYS_prctl, PR_GET_NAME, (long)name, 0);
        return;
    }
    for (; before[at]; at++)
        path[at] = before[at];
    for (uint32_t rest = (uint32_t)tid; rest; rest /= 10)
        digits[n++] = (char)('0' + rest % 10);
    while (n)
        path[at++] = digits[--n];
    for (uint32_t i = 0; i < sizeof behind; i++)
        path[at++] = behind[i];
    long fd = descriptor_open(AT_FDCWD, path, O_RDONLY);
    if (sys_failed(fd))
        return;
    long got = sys3(SYS_read, fd, (long)name, 15);
    descriptor_shut(fd);
    if (got > 0 && name[got - 1] == '\n')
        name[got - 1] = 0;
}

void thread_enlist(struct thread *thread)
{
    struct channel *channel = agent.channel;
    thread->wire = &channel_threads(channel)[thread->slot];
    *thread->wire = (struct wire_thread){.start_tsc = sys_tsc(),
                                         .start_cpu_ns = thread->start_cpu_ns,
                                         .end_cpu_ns = thread->start_cpu_ns};
    name_read(thread->tid, thread->wire->name);
    uint64_t n = __atomic_load_n(&channel->n_threads, __ATOMIC_RELAXED);
    while (n < thread->slot + 1 &&
           !__atomic_compare_exchange_n(&channel->n_threads, &n, thread->slot + 1, true,
                                        __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        continue;
    __atomic_store_n(&thread->wire->tid, thread->tid, __ATOMIC_RELEASE);
}

static struct thread *slot_get(void)
{
    struct thread *thread = slot_claim();
    if (thread)
        return thread;
    threads_reap();
    return slot_claim();
}

struct thread *thread_reserve(void)
{
    struct thread *thread = slot_get();
    if (!thread)
        return NULL;
    thread->wire = NULL;
    thread->perf_fd = thread->timer = -1;
    thread->perf_due = false;
    thread->booked = (struct booked_time){0};
    thread->walking = 0;
    thread->borrowed = thread->trap_blocked = thread->trap_pending = thread->trap_really = false;
    thread->altstack = (struct kernel_altstack){0};
    thread->stack.guesses = 0;
    thread->entry_mask_kept = false;
    thread->resume.on = thread->progress.suspended = false;
    for (uint32_t i = 0; i < RESUME_PLACES; i++)
        thread->resume.places[i].owed = 0;
    thread->refused_pc = 0;
    thread->means = agent.means;
    return thread;
}

static void identify(struct thread *thread, int32_t tid)
{
    thread->random = (agent.options.seed ^ (uint64_t)tid << 32) | 1;
    thread->start_cpu_ns = agent_thread_cpu_ns(tid);
    __atomic_store_n(&thread->tid, tid, __ATOMIC_RELEASE);
    if (agent.channel && !agent.orphan)
        thread_enlist(thread);
}

void thread_identify(struct thread *thread)
{
    identify(thread, own_id());
}

struct thread *thread_adopt(int32_t tid)
{
    struct thread *thread = thread_reserve();
    if (thread)
        identify(thread, tid);
    else
        agent_lose(LOSS_thread_native);
    return thread;
}

/* ---- memory */

/* The preferred address of a thread's context; 0: any. With the shadow of the stack it takes 16
 * GiB. Beside the program's mappings it would leave no room for copies near code that is mapped
 * there, or later (a JIT's, with threads on both sides). So it goes far away; if that is taken, the
 * kernel finds another place. Before a program has begun there is no good choice: sanitizers lay
 * out such addresses themselves. */
static uint64_t context_place(const struct thread *thread)
{
    const uint64_t far = AGENT_FAR + (UINT64_C(1) << 40), each = UINT64_C(1) << 35;
    _Static_assert(sizeof(struct context) + CHANNEL_BANK_BYTES + CONTEXT_SHADOW_BYTES < UINT64_C(1)
                                                                                            << 35,
                   "contexts lie apart");
    bool begun = agent.share_fd <= 0;
    return agent.cache->plan && begun ? far + thread->slot * each : 0;
}

static bool context_map(struct thread *thread)
{
    bool exact = agent.options.mode != RECORD_SAMPLED;
    long at = sys6(SYS_mmap, (long)context_place(thread), (long)thread_context_bytes(),
                   PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (sys_failed(at))
        return false;
    thread->context = (struct context *)at;
    thread->counts_in = NULL;
    context_init(thread->context);
    thread->context->paths_lost = &agent.channel->losses[LOSS_path_lost];
    thread->context->interrupted = &agent.channel->losses[LOSS_interrupted];
    thread->context->events_lost = &agent.channel->losses[LOSS_event_unread];
    thread->context->event_kind = agent.options.event_clock;
    thread->context->event_open = event_page_open;
    return !exact || bank_map(thread);
}

bool thread_equip(struct thread *thread)
{
    if (!thread->context && !context_map(thread))
        return false;
    if (agent.options.compress[0] && !thread->stream && !stream_open(thread))
        return false;
    thread->walk = (struct walk){
        .cache = agent.cache, .context = thread->context, .single = agent.options.single};
    return true;
}

void thread_strip(struct thread *thread)
{
    if (thread->context)
        event_clock_close(thread->context);
    if (thread->context)
        sys3(SYS_munmap, (long)thread->context, (long)thread_context_bytes(), 0);
    thread->context = NULL;
    thread->counts_in = NULL;
    stream_close(thread);
}

/* ---- the end */

static void farewell(struct thread *thread)
{
    struct wire_thread *wire = thread->wire;
    uint64_t ran = wire->end_cpu_ns - wire->start_cpu_ns;
    uint32_t bytes = sizeof(struct event_thread);
    struct event_thread *event = ring_take(&agent.ring, bytes);
    __atomic_fetch_add(&agent.channel->gone_ns, ran, __ATOMIC_RELAXED);
    if (event) {
        event->bytes = bytes;
        event->thread = *wire;
        ring_publish(event, EVENT_THREAD);
    }
    __atomic_store_n(&wire->tid, 0, __ATOMIC_RELEASE);
    wire->start_cpu_ns = wire->end_cpu_ns = 0;
}

void thread_retire(struct thread *thread)
{
    bool own = thread->tid == own_id();
    trigger_close(thread);
    if (thread->wire) {
        thread->wire->end_tsc = agent_tsc();
        if (own) {
            thread->wire->end_cpu_ns = agent_cpu_ns();
            sys3(SYS_prctl, PR_GET_NAME, (long)thread->wire->name, 0);
        }
        if (agent.options.mode == RECORD_EXACT_COUNTS)
            bank_merge(thread);
        if (agent.options.mode == RECORD_EXACT_TRACE)
            trace_end(thread);
        if (thread->stream)
            stream_end(thread);
        farewell(thread);
    }
    agent.means = thread->means;
}

void thread_release(struct thread *thread)
{
    thread_retire(thread);
    __atomic_store_n(&thread->tid, 0, __ATOMIC_RELEASE);
}

void threads_reap(void)
{
    uint32_t n = __atomic_load_n(&agent.n_threads, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < n; i++) {
        struct thread *thread = &agent.threads[i];
        if (thread->tid > 0 && !thread_lives(thread))
            thread_release(thread);
    }
}
