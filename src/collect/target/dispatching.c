#include "collect/target/dispatching.h"

#include "base/vec.h"
#include "collect/perf/proc.h"
#include "collect/target/borrow.h"
#include "collect/target/thread_state.h"

#include <signal.h>
#include <sys/ptrace.h>

/* PTRACE_GET_SYSCALL_USER_DISPATCH_CONFIG */
static const enum __ptrace_request get_configuration = (enum __ptrace_request)0x4211;

struct configuration { /* struct ptrace_sud_config */
    uint64_t mode, selector, offset, bytes;
};

struct tids {
    VEC(int);
};

static void tid_add(void *closure, int tid)
{
    struct tids *tids = closure;
    *vec_push(tids) = tid;
}

static bool thread_dispatches(int pid, int tid)
{
    struct borrowed borrowed;
    struct configuration of = {0};
    if (!borrow_ask(&borrowed, pid, tid) || !borrow_take(&borrowed))
        return false;
    ptrace(get_configuration, tid, sizeof of, &of);
    borrow_end(&borrowed);
    return of.mode != 0;
}

bool dispatching_process(int pid)
{
    struct thread_state state;
    struct tids tids = {0};
    if (!thread_state_read(pid, pid, &state) || !(state.handled >> (SIGSYS - 1) & 1))
        return false;
    proc_each_thread(pid, tid_add, &tids);
    bool found = false;
    for (size_t i = 0; i < tids.n && !found; i++)
        found = thread_dispatches(pid, tids.at[i]);
    vec_release(&tids);
    return found;
}
