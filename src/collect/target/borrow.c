#include "collect/target/borrow.h"

#include "base/err.h"
#include "base/vec.h"
#include "collect/perf/proc.h"
#include "collect/target/remote.h"
#include "collect/target/stop.h"
#include "collect/target/thread_state.h"

#include <errno.h>
#include <limits.h>
#include <linux/rseq.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <time.h>

enum { TRIES = 20, HALT_MS = 20000, SYSCALL_BYTES = 2, FLAGS_CLEAR = 0x202 };
/* Results by which calls ask to be restarted; never seen by programs. */
enum {
    ERESTART_IF_ASKED = 512,
    ERESTART_AT_ONCE = 513,
    ERESTART_UNLESS_HANDLED = 514,
    ERESTART_BY_BLOCK = 516,
};

static bool gone(const struct borrowed *borrowed, struct err *err)
{
    return err_set(err, ERR_SYSTEM, "process %d ended", borrowed->pid);
}

/* ---- what must be as it was */

/* Calls that answer EINTR when a thread is stopped, with no handler to blame. The kernel restarts
 * none of them by itself; all of them may be. */
static bool call_is_told_of_stops(uint64_t number)
{
    static const long calls[] = {
        SYS_epoll_wait, SYS_epoll_pwait,    SYS_epoll_pwait2, SYS_rt_sigtimedwait, SYS_semop,
        SYS_semtimedop, SYS_io_uring_enter, SYS_read,         SYS_readv,           SYS_recvfrom,
        SYS_recvmsg,    SYS_recvmmsg,       SYS_accept,       SYS_accept4,
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (number == (uint64_t)calls[i])
            return true;
    return false;
}

/* With this result the kernel restarts the call, unless a handler runs first: then it is EINTR. */
static void call_restart(struct user_regs_struct *registers)
{
    if (call_is_told_of_stops(registers->orig_rax) && registers->rax == (uint64_t)-EINTR)
        registers->rax = (uint64_t)-ERESTART_UNLESS_HANDLED;
}

/* A restartable sequence is aborted by the kernel when its thread goes on, judged by where it then
 * stands: one that was led elsewhere meanwhile would go on in the middle of it. */
static bool in_rseq(const struct borrowed *borrowed)
{
    struct __ptrace_rseq_configuration of;
    uint64_t at;
    struct rseq_cs sequence;
    struct err err;
    long bytes = ptrace(PTRACE_GET_RSEQ_CONFIGURATION, borrowed->tid, sizeof of, &of);
    if (bytes < (long)sizeof of || !of.rseq_abi_pointer ||
        !remote_read(borrowed->pid, of.rseq_abi_pointer + offsetof(struct rseq, rseq_cs), &at,
                     sizeof at, &err) ||
        !at || !remote_read(borrowed->pid, at, &sequence, sizeof sequence, &err))
        return false;
    return borrowed->registers.rip - sequence.start_ip < sequence.post_commit_offset;
}

static bool state_keep(struct borrowed *borrowed)
{
    if (ptrace(PTRACE_GETREGS, borrowed->tid, 0, &borrowed->registers) ||
        ptrace(PTRACE_GETSIGMASK, borrowed->tid, sizeof borrowed->mask, &borrowed->mask) ||
        in_rseq(borrowed))
        return false;
    call_restart(&borrowed->registers);
    return true;
}

static bool mask_set(const struct borrowed *borrowed, uint64_t mask)
{
    return ptrace(PTRACE_SETSIGMASK, borrowed->tid, sizeof mask, &mask) == 0;
}

/* What the kernel makes of the registers of a thread that was in a call, when no handler is to run.
 */
static struct user_regs_struct registers_restarted(const struct user_regs_struct *own)
{
    struct user_regs_struct registers = *own;
    int64_t result = (int64_t)own->rax;
    bool again = result == -ERESTART_IF_ASKED || result == -ERESTART_AT_ONCE ||
                 result == -ERESTART_UNLESS_HANDLED;
    if ((int64_t)own->orig_rax < 0 || (!again && result != -ERESTART_BY_BLOCK))
        return registers;
    registers.rax = again ? own->orig_rax : SYS_restart_syscall;
    registers.rip -= SYSCALL_BYTES;
    registers.orig_rax = UINT64_MAX;
    return registers;
}

/* Between calls it has its own state: if we are killed now, it goes on with that. */
static bool state_back(const struct borrowed *borrowed)
{
    struct user_regs_struct registers = registers_restarted(&borrowed->registers);
    return ptrace(PTRACE_SETREGS, borrowed->tid, 0, &registers) == 0 &&
           mask_set(borrowed, borrowed->mask);
}

/* ---- begin */

enum { SEIZED, REFUSED, NOT_NOW };

static int thread_ask(struct borrowed *borrowed, int tid, struct err *err)
{
    borrowed->tid = tid;
    if (ptrace(PTRACE_SEIZE, tid, 0, PTRACE_O_TRACESYSGOOD)) {
        if (errno == ESRCH)
            return NOT_NOW;
        err_errno(err, "cannot trace process %d", borrowed->pid);
        return REFUSED;
    }
    ptrace(PTRACE_INTERRUPT, tid, 0, 0);
    return SEIZED;
}

static int thread_take(struct borrowed *borrowed, struct err *err)
{
    struct stop stop;
    if (!stop_await(borrowed->tid, STOP_TRAP, HALT_MS, &stop)) {
        if (errno != ETIMEDOUT)
            return NOT_NOW;
        err_set(err, ERR_SYSTEM, "thread %d of process %d does not stop", borrowed->tid,
                borrowed->pid);
        return REFUSED; /* it stays traced until we end: not one more like it */
    }
    if (state_keep(borrowed))
        return SEIZED;
    ptrace(PTRACE_DETACH, borrowed->tid, 0, 0);
    return NOT_NOW;
}

static int thread_seize(struct borrowed *borrowed, int tid, struct err *err)
{
    int asked = thread_ask(borrowed, tid, err);
    return asked == SEIZED ? thread_take(borrowed, err) : asked;
}

struct candidate {
    int tid, worth;
};
struct candidates {
    VEC(struct candidate);
    int pid;
    int enough; /* of the best */
};
enum { WORTH_MOST = 4, ENOUGH = 4 };

/* Calls that go on as if nothing had been: what they wait for is asked again, and times are kept.
 */
static bool call_is_patient(long number)
{
    static const long calls[] = {SYS_futex,         SYS_poll,     SYS_ppoll,          SYS_nanosleep,
                                 SYS_select,        SYS_pselect6, SYS_wait4,          SYS_waitid,
                                 SYS_rt_sigsuspend, SYS_pause,    SYS_clock_nanosleep};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (number == calls[i])
            return true;
    return false;
}

/* Threads of a stopped process stay stopped, but can be borrowed.
 * Who waits patiently loses nothing, and comes at once; who runs comes when it has the CPU, and
 * does no work meanwhile; the waits of others begin again. */
static int worth(int pid, int tid)
{
    struct thread_state state;
    if (!thread_state_read(pid, tid, &state) || !strchr("RST", state.doing))
        return 0;
    long call = state.doing == 'S' ? thread_state_call(pid, tid) : -1;
    return state.doing == 'R' || state.doing == 'T'              ? 3
           : call_is_patient(call)                               ? WORTH_MOST
           : call >= 0 && !call_is_told_of_stops((uint64_t)call) ? 2
                                                                 : 1;
}

static void candidate_add(void *closure, int tid)
{
    struct candidates *candidates = closure;
    int own = candidates->enough < ENOUGH ? worth(candidates->pid, tid) : 0;
    candidates->enough += own == WORTH_MOST;
    if (own)
        *vec_push(candidates) = (struct candidate){tid, own};
}

static int candidates_try(struct borrowed *borrowed, const struct candidates *candidates,
                          struct err *err)
{
    for (int most = WORTH_MOST; most > 0; most--)
        for (size_t i = 0; i < candidates->n; i++) {
            if (candidates->at[i].worth != most)
                continue;
            int got = thread_seize(borrowed, candidates->at[i].tid, err);
            if (got != NOT_NOW)
                return got;
        }
    return NOT_NOW;
}

/* Longer each time, half a second in all: on a busy machine a thread may be on its way to where it
 * can be stopped for as long as others have the CPU. */
static void nap(int times)
{
    enum { FIRST_NS = 50000, DOUBLED = 10 };
    const struct timespec length = {0, FIRST_NS << (times < DOUBLED ? times : DOUBLED)};
    nanosleep(&length, NULL);
}

/* Its first thread has; others may go on. */
static bool has_ended(int pid)
{
    struct thread_state state;
    return !thread_state_read(pid, pid, &state) || strchr("ZX", state.doing);
}

bool borrow_begin(struct borrowed *ret_borrowed, int pid, struct err *err)
{
    struct borrowed borrowed = {.pid = pid};
    int got = NOT_NOW;
    for (int i = 0; i < TRIES && got == NOT_NOW; i++) {
        struct candidates candidates = {.pid = pid};
        if (!proc_each_thread(pid, candidate_add, &candidates))
            return gone(&borrowed, err);
        got = candidates_try(&borrowed, &candidates, err);
        bool nobody = candidates.n == 0;
        vec_release(&candidates);
        if (got == NOT_NOW && nobody && has_ended(pid))
            break;
        if (got == NOT_NOW)
            nap(i);
    }
    if (got == NOT_NOW)
        return err_set(err, ERR_SYSTEM, "no thread of process %d can be stopped", pid);
    if (got == SEIZED)
        *ret_borrowed = borrowed;
    return got == SEIZED;
}

bool borrow_ask(struct borrowed *ret_borrowed, int pid, int tid)
{
    struct err err;
    *ret_borrowed = (struct borrowed){.pid = pid};
    return thread_ask(ret_borrowed, tid, &err) == SEIZED;
}

bool borrow_take(struct borrowed *borrowed)
{
    struct err err;
    return thread_take(borrowed, &err) == SEIZED;
}

bool borrow_traced(struct borrowed *ret_borrowed, int pid, struct err *err)
{
    struct borrowed borrowed = {.pid = pid, .tid = pid};
    struct stop stop;
    if (ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACESYSGOOD) ||
        ptrace(PTRACE_INTERRUPT, pid, 0, 0) || ptrace(PTRACE_CONT, pid, 0, 0) ||
        !stop_await(pid, STOP_TRAP, HALT_MS, &stop) || !state_keep(&borrowed))
        return gone(&borrowed, err);
    *ret_borrowed = borrowed;
    return true;
}

/* ---- calls */

/* The program's flags are not for our calls: a thread that clone starts inherits them. With the
 * trap flag its first instruction would raise SIGTRAP, which is blocked and so kills the process;
 * with the direction flag it would copy backwards. */
static bool registers_call(struct borrowed *borrowed, long number, const uint64_t arguments[6])
{
    struct user_regs_struct registers = borrowed->registers;
    registers.rip = borrowed->syscall_at;
    registers.rax = (uint64_t)number;
    registers.eflags = FLAGS_CLEAR;
    registers.orig_rax = UINT64_MAX; /* in no call now: nothing to restart on the way */
    registers.rdi = arguments[0];
    registers.rsi = arguments[1];
    registers.rdx = arguments[2];
    registers.r10 = arguments[3];
    registers.r8 = arguments[4];
    registers.r9 = arguments[5];
    return ptrace(PTRACE_SETREGS, borrowed->tid, 0, &registers) == 0;
}

/* To where the kernel has been entered, and then to where it is left. *ret_new: a thread it
 * started. */
static bool call_once(struct borrowed *borrowed, long number, const uint64_t arguments[6],
                      int *ret_new, int64_t *ret_result, struct err *err)
{
    struct stop stop;
    struct user_regs_struct registers;
    if (!borrowed->syscall_at && !remote_find_syscall(borrowed->pid, &borrowed->syscall_at, err))
        return false;
    if (!mask_set(borrowed, UINT64_MAX) || !registers_call(borrowed, number, arguments))
        return gone(borrowed, err);
    borrowed->calling = true;
    if (!stop_next(borrowed->tid, PTRACE_SYSCALL, STOP_CALL, &stop) ||
        !stop_next(borrowed->tid, PTRACE_SYSCALL, STOP_CALL, &stop) ||
        ptrace(PTRACE_GETREGS, borrowed->tid, 0, &registers) || !state_back(borrowed))
        return gone(borrowed, err);
    *ret_new = stop.new_thread;
    *ret_result = (int64_t)registers.rax;
    return true;
}

/* clone is not begun while a signal waits that stops the process: the kernel would make it again.
 */
static bool call_make(struct borrowed *borrowed, long number, const uint64_t arguments[6],
                      int *ret_new, int64_t *ret_result, struct err *err)
{
    for (int i = 0; i < TRIES; i++) {
        if (!call_once(borrowed, number, arguments, ret_new, ret_result, err))
            return false;
        if (*ret_result != -ERESTART_AT_ONCE)
            break;
    }
    return true;
}

bool borrow_call(struct borrowed *borrowed, long number, const uint64_t arguments[6],
                 int64_t *ret_result, struct err *err)
{
    int none;
    return call_make(borrowed, number, arguments, &none, ret_result, err);
}

bool borrow_need(struct borrowed *borrowed, const char *what, long number,
                 const uint64_t arguments[6], uint64_t *ret_result, struct err *err)
{
    int64_t result;
    if (!borrow_call(borrowed, number, arguments, &result, err))
        return false;
    if (result < 0 && result > -4096) {
        errno = (int)-result;
        return err_errno(err, "process %d: %s", borrowed->pid, what);
    }
    *ret_result = (uint64_t)result;
    return true;
}

/* ---- another thread */

/* It stops before its first instruction: that it does is certain, when is not. */
static bool spawned_lead(int tid, uint64_t at, uint64_t stack, uint64_t argument)
{
    struct stop stop;
    struct user_regs_struct registers;
    if (!stop_await(tid, STOP_TRAP, INT_MAX, &stop) || ptrace(PTRACE_GETREGS, tid, 0, &registers))
        return false;
    registers.rip = at;
    registers.rsp = stack;
    registers.rdi = argument;
    registers.orig_rax = UINT64_MAX;
    return ptrace(PTRACE_SETREGS, tid, 0, &registers) == 0 && ptrace(PTRACE_DETACH, tid, 0, 0) == 0;
}

bool borrow_spawn(struct borrowed *borrowed, uint64_t at, uint64_t stack, uint64_t argument,
                  int *ret_tid, struct err *err)
{
    const uint64_t arguments[6] = {CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND |
                                   CLONE_THREAD | CLONE_SYSVSEM};
    int64_t result;
    int tid = 0;
    long options = PTRACE_O_TRACESYSGOOD;
    ptrace(PTRACE_SETOPTIONS, borrowed->tid, 0, options | PTRACE_O_TRACECLONE);
    bool made = call_make(borrowed, SYS_clone, arguments, &tid, &result, err);
    ptrace(PTRACE_SETOPTIONS, borrowed->tid, 0, options);
    if (!made)
        return false;
    if (result < 0) {
        errno = (int)-result;
        return err_errno(err, "process %d: cannot start a thread", borrowed->pid);
    }
    if (!tid || !spawned_lead(tid, at, stack, argument))
        return gone(borrowed, err);
    *ret_tid = tid;
    return true;
}

/* ---- end */

void borrow_end(struct borrowed *borrowed)
{
    struct stop stop;
    /* Behind a call the kernel would not look at what to restart: only a stop of this kind makes
     * it. */
    if (borrowed->calling && (ptrace(PTRACE_INTERRUPT, borrowed->tid, 0, 0) ||
                              !stop_next(borrowed->tid, PTRACE_CONT, STOP_TRAP, &stop)))
        return;
    ptrace(PTRACE_SETREGS, borrowed->tid, 0, &borrowed->registers);
    if (borrowed->calling)
        mask_set(borrowed, borrowed->mask);
    ptrace(PTRACE_DETACH, borrowed->tid, 0, 0);
}
