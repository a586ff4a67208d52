/* The agent of one process: everything it knows, in one place.
 *
 * Only the main thread is walked, so all of it belongs to that thread, in its handler or in the
 * dispatcher of its exact run; what other threads may touch says so. */
#pragma once

#include "agent/kernel.h"
#include "agent/ring.h"
#include "walk/run.h"
#include "wire/channel.h"

enum { AGENT_SIGNALS = 65 };

struct link_map;
struct r_debug;

/* What one mapping was when the tool was last told. */
struct told_map {
    uint64_t start, end, offset, inode;
};

struct agent {
    struct directory *directory;
    struct channel *channel; /* NULL: this process is not recorded */
    struct ring ring;
    struct cache *cache;
    struct context *context;
    struct regions *regions;
    struct walk walk;
    struct record_options options;
    uint64_t random;
    int32_t pid; /* of the process that is recorded */
    uint32_t
        stale; /* code may have been rewritten: flush before the next walk; set by any thread */
    uint32_t retired; /* a filter of system calls is in force: nothing is armed any more */

    /* modules */
    const struct r_debug *loader; /* NULL: there is none to watch */
    uint64_t loader_print;        /* fingerprint for which the cache is good */
    uint64_t text_start, text_end;
    struct told_map told[REGIONS_MAX];
    uint32_t n_told;
    uint64_t maps_read_tsc;

    /* trigger and budget */
    int perf_fd; /* -1: the timer is used */
    int32_t timer;
    uint64_t ticks_per_ms;
    uint64_t start_ns;   /* monotonic, with channel.start_tsc */
    uint32_t calibrated; /* interrupts seen while calibrating; UINT32_MAX: calibration is over */
    uint64_t mean_cost_ticks; /* of a sample: its trail, when it has one, and the rest */
    uint64_t mean_trail_ticks, mean_rest_ticks;
    uint64_t ticks_per_insn_q16; /* mean of trails */
    uint64_t insns_per_exit_q8;  /* mean of windows */
    uint32_t window, trail;
    uint64_t tool_start_ns; /* what the tool had used when it had settled */

    /* signals: the program's own actions for those that we keep. Written by interposers of any
     * thread, read in handlers; a torn read needs two threads that set one action at once. */
    struct kernel_sigaction actions[AGENT_SIGNALS];
    bool own[AGENT_SIGNALS]; /* signals whose real handler is ours */

    /* the walk under way */
    uint32_t walking; /* context, %gs and the copy below are in use */
    uint64_t program_gs;
    _Alignas(64) struct kernel_ucontext frame;
    _Alignas(64) uint8_t fpstate[FPSTATE_BYTES_MAX];
};

extern struct agent agent;

static inline void agent_lose(enum loss loss)
{
    agent.channel->losses[loss]++;
}

/* The same from any thread, and for a process that is not recorded. In an exact run the dispatcher sees
 * threads and children itself. */
void agent_lose_shared(enum loss loss);
/* Rights of mapped code were changed: copies of it may be stale. */
void agent_code_changed(uint64_t start, uint64_t bytes);
/* From now on system calls may be filtered: no more of ours. */
void agent_retire(void);
/* This process is a fork of the recorded one: it must not speak in its name. */
void agent_forget(void);

/* What only the shim can know. */
struct agent_place {
    const struct r_debug *loader;
    uint64_t text_start, text_end; /* of libgait.so */
    uint64_t hwcap2;               /* AT_HWCAP2 */
};

/* Maps the channel behind `path` and everything else; false: this process stays alone. */
bool agent_connect(const char *path, const struct agent_place *place);
/* Starts sampling the calling thread, or takes it over for an exact run. */
void agent_start(void);

uint64_t agent_random(void);
uint64_t agent_cpu_ns(void); /* of this thread */
/* Brings ticks_per_ms up to date: the longer the run, the better it is known. */
void agent_clock(void);

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
