/* What all threads of the process share: one global struct.
 *
 * Fields are set before the first thread is recorded. The comment of a field says who changes it
 * later. */
#pragma once

#include "agent/base/kernel.h"
#include "agent/base/means.h"
#include "agent/base/ring.h"
#include "python/frames.h"
#include "walk/run.h"
#include "wire/channel.h"

enum { AGENT_SIGNALS = 65, AGENT_PLACES = 256, AGENT_SCALES = 4, AGENT_DISPATCHED = 16 };

struct link_map;
struct thread;
struct r_debug;

/* A mapping as it was last published. */
struct told_map {
    uint64_t start, end, offset, inode;
    bool jit;
};

/* Far from programs, heaps and libraries: for mappings of gigabytes, which beside the program would
 * leave no room for copies near its code. */
#define AGENT_FAR UINT64_C(0x270000000000)

/* A process that gets a channel at its first sample: most processes that others start are over
 * before. A fork shows its parent's channel meanwhile, and nobody else has a reader. */
enum orphan {
    ORPHAN_NOT,
    ORPHAN_WAITS,
    ORPHAN_CONNECTS, /* one of its threads gets the channel */
};

struct agent {
    struct directory *directory;
    struct channel *channel; /* NULL: this process is not recorded, or not yet: see `orphan` */
    struct ring ring;
    struct cache *cache;
    struct regions *regions; /* under the cache's lock, or while it is flushed */
    struct record_options options;
    int32_t pid;       /* of the process that is recorded */
    uint32_t index;    /* of its channel */
    char path[256];    /* of the shared memory */
    int share_fd;      /* or a descriptor of it, if there is no path: above 0 */
    uint32_t stale;    /* code may have changed: flush before the next walk; set by any thread */
    uint32_t remapped; /* the same of code that is guarded: it may not be executed any more */
    bool patched;      /* code of a file was made writable, perhaps before the agent began */
    int32_t signal;    /* that samples use */
    uint32_t
        retired; /* no trigger is armed any more: system calls are filtered, or the agent leaves */
    uint32_t clock_forbidden; /* a thread has given up the time stamp counter */
    uint32_t inside; /* threads in the agent's handlers, from their first steps to their last */
    uint32_t orphan; /* enum orphan */
    struct channel *parent; /* of an orphan: what it has instead of a channel */
    bool begun;             /* an orphan that was executed, not forked: its clock runs already */

    struct thread *threads; /* CHANNEL_THREADS slots */
    uint32_t n_threads;     /* slots ever used are below this */
    uint32_t n_descriptors; /* perf clocks of threads */

    /* modules */
    const struct r_debug *loader; /* NULL: there is no loader to watch */
    uint64_t loader_print;        /* fingerprint for which the cache is valid */
    uint64_t text_start, text_end;
    struct told_map told[REGIONS_MAX];
    uint32_t n_told;
    uint64_t maps_read_tsc;
    uint64_t maps_bytes; /* of the maps section */
    uint64_t plans_read; /* bytes of the plans section */

    /* budget */
    uint64_t ticks_per_ms;
    uint64_t start_ns, start_tsc; /* the same moment */
    uint64_t tsc_hz;
    uint64_t delivery_ticks; /* of a warm interrupt, calibrated */
    uint32_t trigger;        /* TRIGGER_ */
    int32_t calibrating;     /* the thread that calibrates */
    uint32_t calibrated; /* interrupts seen while calibrating; UINT32_MAX: calibration is over */
    struct means
        means; /* initial values of a new thread; whichever thread wrote last is good enough */
    uint32_t window;
    uint32_t windows;                         /* per walk */
    uint64_t fault_ticks;                     /* of a page fault, calibrated */
    uint64_t paced_ticks, paced_instructions; /* of all trails: native ticks; each adds to it */
    struct code_pace {
        uint64_t ticks, instructions, pace;
    } code_pace[CONTEXT_BUDGETS]; /* the same of parts of the code: agent/sampling/pace.h */
    uint64_t code_paced;          /* trails in it */
    int32_t due[AGENT_SCALES][AGENT_PLACES], due_all; /* trails: agent/sampling/budget.c */
    struct agent_windows {
        int32_t due;
        uint32_t bar;
        struct {
            uint32_t samples, waiting, windows; /* waiting: samples since its last window */
        } at[AGENT_PLACES];
    } few;               /* windows, where they are: agent/sampling/budget.c */
    uint64_t long_at_ns; /* the next long trail is due when ran_ns is so much */
    uint64_t young_ns;   /* not walked until ran_ns is so much (agent/threads/begin.h) */
    uint32_t counting;   /* a thread is in a trail that counts: one at a time */
    uint64_t tick_ns;    /* between ticks of the kernel's clock */
    uint64_t ran_ns;     /* CPU time of all threads between their samples; each adds to it */
    uint64_t copied_ns;  /* time spent on translation; each thread adds to it */
    uint64_t spent_ns;   /* cost of their samples; each adds to it */
    uint64_t window_spent_ns, windows_begun; /* of that: of recorded windows; and their number */
    uint64_t tool_told_ns; /* the tool's CPU time at the last check, and when that was */
    uint64_t tool_looked_tsc;
    uint32_t tool_looks;  /* checks of the tool so far */
    uint32_t tool_silent; /* consecutive checks, at least a second apart, that found nothing new */

    /* signals: the program's own actions for those that the agent keeps. Interposers of any thread
     * write them, handlers read them; a torn read needs two threads that set one action at once. */
    struct kernel_sigaction actions[AGENT_SIGNALS];
    bool own[AGENT_SIGNALS]; /* signals whose real handler is the agent's */
    bool go;                 /* the process has a Go runtime: shim/go_runtime.h */
    bool unfiltered; /* no seccomp filter when it began, and libc's functions tell of a later one */
    /* agent/exact/exact_dispatch.h: threads by their %fs; 0: free */
    struct dispatched {
        uint64_t fs, selector;
    } dispatched[AGENT_DISPATCHED];
    struct python python; /* threads that begin to read it at once all write the same */
};

extern struct agent agent;

static inline void agent_add(uint64_t *figure, uint64_t more)
{
    __atomic_fetch_add(figure, more, __ATOMIC_RELAXED);
}

/* NULL: nobody reads them. */
static inline uint64_t *agent_losses(void)
{
    if (!agent.channel)
        return NULL;
    return __atomic_load_n(&agent.orphan, __ATOMIC_RELAXED) ? agent.directory->losses
                                                            : agent.channel->losses;
}

static inline void agent_lose(enum loss loss)
{
    uint64_t *losses = agent_losses();
    if (losses)
        agent_add(&losses[loss], 1);
}

/* As the tool says; whatever the program may have written over it. */
static inline uint64_t agent_variety(void)
{
    uint64_t variety = __atomic_load_n(&agent.channel->variety, __ATOMIC_RELAXED);
    return variety < 0xffff ? variety : 0xffff;
}

/* A handler of the agent begins, or ends. */
static inline void agent_enters(void)
{
    __atomic_fetch_add(&agent.inside, 1, __ATOMIC_SEQ_CST);
}

static inline void agent_leaves(void)
{
    __atomic_fetch_sub(&agent.inside, 1, __ATOMIC_SEQ_CST);
}

/* Whether code is the agent's own. Walks enter it where the program calls an interposer. */
static inline bool agent_is_own(uint64_t pc)
{
    return pc >= agent.text_start && pc < agent.text_end;
}

/* True if threads of this process are sampled now. */
static inline bool agent_samples(void)
{
    return agent.channel && agent.options.mode == RECORD_SAMPLED && !agent.retired && agent.window;
}

static inline uint64_t gs_read(void)
{
    uint64_t base;
    __asm__ volatile("rdgsbase %0" : "=r"(base));
    return base;
}

static inline void gs_write(uint64_t base)
{
    __asm__ volatile("wrgsbase %0" : : "r"(base) : "memory");
}
