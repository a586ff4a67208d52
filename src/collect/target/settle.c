#include "collect/target/settle.h"

#include "base/err.h"
#include "base/vec.h"
#include "collect/target/borrow.h"
#include "collect/perf/proc.h"
#include "collect/target/remote.h"
#include "collect/target/thread_state.h"
#include "wire/attach.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    TRIES = 2000,
    NAP_NS = 1000000,
    SIGNAL = TRIGGER_SIGNAL_UNTOLD,
    SIGNAL_BIT = 1 << (SIGNAL - 1)
};

enum verdict { CLEAN, NOT_YET };

struct settle {
    int pid;
    uint64_t start, bytes; /* where no thread may be */
    uint64_t scratch_at;
    /* By what /proc tells. */
    enum verdict (*glance)(const struct settle *settle, int tid);
    /* Of a thread that is held. */
    enum verdict (*look)(const struct settle *settle, struct borrowed *borrowed);
    struct tids {
        VEC(int);
    } tids; /* that are not known to be clean */
};

/* What rt_sigtimedwait is given: the signal, and no time to wait. */
struct scratch {
    uint64_t set;
    int64_t seconds, nanoseconds;
};
_Static_assert(sizeof(struct scratch) == SETTLE_SCRATCH_BYTES, "what callers set aside");

static void tid_add(void *closure, int tid)
{
    struct settle *settle = closure;
    *vec_push(&settle->tids) = tid;
}

/* Asks up to so many at once: each stops when it gets the CPU. */
enum { BATCH = 64 };

/* Looks at the threads [from, to) of the list; those that are clean become 0. */
static void batch_look(struct settle *settle, size_t from, size_t to)
{
    struct borrowed borrowed[BATCH];
    bool asked[BATCH];
    for (size_t i = from; i < to; i++)
        asked[i - from] = borrow_ask(&borrowed[i - from], settle->pid, settle->tids.at[i]);
    for (size_t i = from; i < to; i++) {
        struct borrowed *held = &borrowed[i - from];
        if (!asked[i - from] || !borrow_take(held))
            continue;
        if (settle->look(settle, held) == CLEAN)
            settle->tids.at[i] = 0;
        borrow_end(held);
    }
}

static void tids_keep(struct tids *tids)
{
    size_t kept = 0;
    for (size_t i = 0; i < tids->n; i++)
        if (tids->at[i])
            tids->at[kept++] = tids->at[i];
    tids->n = kept;
}

/* Most are known by a glance; the rest are held, many at a time. */
static void round_look(struct settle *settle)
{
    struct tids *tids = &settle->tids;
    for (size_t i = 0; i < tids->n; i++)
        if (settle->glance(settle, tids->at[i]) == CLEAN)
            tids->at[i] = 0;
    tids_keep(tids);
    for (size_t from = 0; from < tids->n; from += BATCH)
        batch_look(settle, from, from + BATCH < tids->n ? from + BATCH : tids->n);
    tids_keep(tids);
}

/* Until all threads have been seen clean. */
static bool settle_all(struct settle *settle, struct err *err)
{
    const struct timespec nap = {0, NAP_NS};
    proc_each_thread(settle->pid, tid_add, settle);
    for (int i = 0; settle->tids.n && i < TRIES; i++) {
        if (i)
            nanosleep(&nap, NULL);
        round_look(settle);
    }
    bool clean = !settle->tids.n || err_set(err, ERR_SYSTEM,
                                            "thread %d of process %d does not come out of the "
                                            "agent, which stays where it is",
                                            settle->tids.at[0], settle->pid);
    vec_release(&settle->tids);
    return clean;
}

/* ---- signals of triggers */

/* By a timer of ours, or by the descriptor of a clock. */
static bool is_triggers(const siginfo_t *info)
{
    uint64_t word = (uint64_t)info->si_value.sival_ptr;
    return info->si_signo == SIGNAL &&
           ((info->si_code == SI_TIMER && word >> 16 == TRIGGER_MARK) || info->si_code == POLL_HUP);
}

/* Whether the thread still waits for the signal of a trigger; what others sent stays. */
static bool waits_for_trigger(int tid)
{
    struct __ptrace_peeksiginfo_args ask = {.nr = 1};
    siginfo_t info;
    for (; ptrace(PTRACE_PEEKSIGINFO, tid, &ask, &info) == 1; ask.off++)
        if (is_triggers(&info))
            return true;
    return false;
}

/* One that the program was sent meanwhile has been merged with it (agent/threads/merged.h): it gets
 * that one. The agent passes it on, or drops it if the program has no handler. */
static void signal_take(const struct settle *settle, struct borrowed *borrowed)
{
    const struct scratch scratch = {.set = SIGNAL_BIT};
    struct err err;
    int64_t none;
    if (remote_write(settle->pid, settle->scratch_at, &scratch, sizeof scratch, &err))
        borrow_call(borrowed, SYS_rt_sigtimedwait,
                    (uint64_t[6]){settle->scratch_at, 0,
                                  settle->scratch_at + offsetof(struct scratch, seconds), 8},
                    &none, &err);
    syscall(SYS_tgkill, settle->pid, borrowed->tid, SIGNAL);
}

static enum verdict signals_glance(const struct settle *settle, int tid)
{
    struct thread_state state;
    bool quiet = !thread_state_read(settle->pid, tid, &state) || strchr("ZX", state.doing) ||
                 (state.doing != 'R' && !(state.pending & SIGNAL_BIT));
    return quiet ? CLEAN : NOT_YET;
}

/* The stop has made the kernel deliver, or queue, whatever was on its way. */
static enum verdict signals_look(const struct settle *settle, struct borrowed *borrowed)
{
    bool waits = waits_for_trigger(borrowed->tid);
    if (waits && (borrowed->mask & SIGNAL_BIT))
        signal_take(settle, borrowed);
    return waits ? NOT_YET : CLEAN;
}

bool settle_signals(int pid, uint64_t scratch_at, struct err *err)
{
    struct settle settle = {
        .pid = pid, .scratch_at = scratch_at, .glance = signals_glance, .look = signals_look};
    return settle_all(&settle, err);
}

/* ---- where threads are */

static enum verdict place_judge(const struct settle *settle, uint64_t pc)
{
    return pc - settle->start < settle->bytes ? NOT_YET : CLEAN;
}

static enum verdict place_glance(const struct settle *settle, int tid)
{
    struct thread_state state;
    uint64_t pc;
    if (!thread_state_read(settle->pid, tid, &state) || strchr("ZX", state.doing))
        return CLEAN;
    return thread_state_pc(settle->pid, tid, &pc) ? place_judge(settle, pc) : NOT_YET;
}

static enum verdict place_look(const struct settle *settle, struct borrowed *borrowed)
{
    return place_judge(settle, borrowed->registers.rip);
}

bool settle_outside(int pid, uint64_t start, uint64_t bytes, struct err *err)
{
    struct settle settle = {
        .pid = pid, .start = start, .bytes = bytes, .glance = place_glance, .look = place_look};
    return settle_all(&settle, err);
}
