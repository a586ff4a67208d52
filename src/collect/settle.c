#include "collect/settle.h"

#include "base/err.h"
#include "base/vec.h"
#include "collect/borrow.h"
#include "collect/proc.h"
#include "collect/remote.h"
#include "collect/thread_state.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <time.h>

enum { TRIES = 2000, NAP_NS = 1000000, TRAP_BIT = 1 << (SIGTRAP - 1), CODE_PERF = 6 };

enum verdict { CLEAN, NOT_YET };

struct settle {
    int pid;
    uint64_t start, bytes; /* where no thread may be */
    uint64_t scratch_at;
    struct tids {
        VEC(int);
    } tids;
};

/* What rt_sigtimedwait is given: SIGTRAP, and no time to wait. */
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

/* Until each thread has been judged clean, one after another. */
static bool each_thread(struct settle *settle,
                        enum verdict (*judge)(const struct settle *settle, int tid),
                        struct err *err)
{
    const struct timespec nap = {0, NAP_NS};
    bool clean = true;
    settle->tids.n = 0;
    proc_each_thread(settle->pid, tid_add, settle);
    for (size_t i = 0; i < settle->tids.n && clean; i++) {
        int tries = 0;
        while (judge(settle, settle->tids.at[i]) == NOT_YET && ++tries < TRIES)
            nanosleep(&nap, NULL);
        clean = tries < TRIES || err_set(err, ERR_SYSTEM,
                                         "thread %d of process %d does not come out of the agent, "
                                         "which stays where it is",
                                         settle->tids.at[i], settle->pid);
    }
    vec_release(&settle->tids);
    return clean;
}

/* ---- signals of triggers */

/* Whether the thread still waits for a SIGTRAP of a trigger's; what a debugger or the program itself sent
 * stays. */
static bool waits_for_trigger(int tid)
{
    struct __ptrace_peeksiginfo_args ask = {.nr = 1};
    siginfo_t info;
    for (; ptrace(PTRACE_PEEKSIGINFO, tid, &ask, &info) == 1; ask.off++)
        if (info.si_signo == SIGTRAP && (info.si_code == SI_TIMER || info.si_code == CODE_PERF))
            return true;
    return false;
}

static void trap_take(const struct settle *settle, struct borrowed *borrowed)
{
    const struct scratch scratch = {.set = TRAP_BIT};
    struct err err;
    int64_t none;
    if (remote_write(settle->pid, settle->scratch_at, &scratch, sizeof scratch, &err))
        borrow_call(borrowed, SYS_rt_sigtimedwait,
                    (uint64_t[6]){settle->scratch_at, 0,
                                  settle->scratch_at + offsetof(struct scratch, seconds), 8},
                    &none, &err);
}

static enum verdict judge_traps(const struct settle *settle, int tid)
{
    struct thread_state state;
    struct borrowed borrowed;
    struct err err;
    if (!thread_state_read(settle->pid, tid, &state) || strchr("ZX", state.doing) ||
        (state.doing != 'R' && !(state.pending & TRAP_BIT)))
        return CLEAN;
    if (!borrow_thread(&borrowed, settle->pid, tid, &err))
        return NOT_YET;
    /* The stop has made the kernel deliver, or queue, whatever was on its way. */
    bool waits = waits_for_trigger(tid);
    if (waits && (borrowed.mask & TRAP_BIT))
        trap_take(settle, &borrowed);
    borrow_end(&borrowed);
    return waits ? NOT_YET : CLEAN;
}

bool settle_traps(int pid, uint64_t scratch_at, struct err *err)
{
    struct settle settle = {.pid = pid, .scratch_at = scratch_at};
    return each_thread(&settle, judge_traps, err);
}

/* ---- where threads are */

static enum verdict judge_place(const struct settle *settle, int tid)
{
    struct thread_state state;
    struct borrowed borrowed;
    struct err err;
    uint64_t pc;
    if (!thread_state_read(settle->pid, tid, &state) || strchr("ZX", state.doing))
        return CLEAN;
    if (!thread_state_pc(settle->pid, tid, &pc)) {
        if (!borrow_thread(&borrowed, settle->pid, tid, &err))
            return NOT_YET;
        pc = borrowed.registers.rip;
        borrow_end(&borrowed);
    }
    return pc - settle->start < settle->bytes ? NOT_YET : CLEAN;
}

bool settle_outside(int pid, uint64_t start, uint64_t bytes, struct err *err)
{
    struct settle settle = {.pid = pid, .start = start, .bytes = bytes};
    return each_thread(&settle, judge_place, err);
}
