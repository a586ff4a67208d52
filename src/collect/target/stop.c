#include "collect/target/stop.h"

#include "base/clock.h"
#include "collect/target/thread_state.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CALL_BIT = 0x80, YIELDS = 100, NAP_NS = 50000 };

static uint64_t now_ms(void)
{
    return clock_ns(CLOCK_MONOTONIC) / 1000000;
}

/* A program that this process started: its end is told once, and to whoever waits for it. */
static bool is_child(int tid)
{
    struct thread_state state;
    return thread_state_read(tid, tid, &state) && state.leader == tid && state.parent == getpid();
}

/* As waitpid does; but the end of a child is left alone, and is none of its stops. */
static pid_t wait_once(int tid, int *ret_status, int flags)
{
    siginfo_t info = {0};
    if (waitid(P_PID, (id_t)tid, &info, WEXITED | WSTOPPED | WNOWAIT | __WALL | flags))
        return -1;
    if (!info.si_pid)
        return 0;
    bool ended = info.si_code != CLD_TRAPPED && info.si_code != CLD_STOPPED;
    if (ended && is_child(tid)) {
        errno = ESRCH;
        return -1;
    }
    return waitpid(tid, ret_status, __WALL | flags);
}

static bool wait_forever(int tid, int *ret_status)
{
    pid_t got;
    do
        got = wait_once(tid, ret_status, 0);
    while (got < 0 && errno == EINTR);
    return got == tid;
}

/* A stop takes microseconds, unless the thread is in a call that nothing wakes it from. */
static bool wait_for(int tid, int timeout_ms, int *ret_status)
{
    uint64_t end = now_ms() + (uint64_t)timeout_ms;
    const struct timespec nap = {0, NAP_NS};
    for (int i = 0;; i++) {
        pid_t got = wait_once(tid, ret_status, WNOHANG);
        if (got == tid)
            return true;
        if (got < 0 && errno != EINTR)
            return false;
        if (now_ms() > end) {
            errno = ETIMEDOUT;
            return false;
        }
        if (i < YIELDS)
            sched_yield();
        else
            nanosleep(&nap, NULL);
    }
}

static void classify(int tid, int status, struct stop *stop)
{
    int signal = WSTOPSIG(status);
    stop->signal = 0;
    switch (status >> 16) {
    case PTRACE_EVENT_STOP: stop->kind = signal == SIGTRAP ? STOP_TRAP : STOP_GROUP; return;
    case PTRACE_EVENT_EXEC: stop->kind = STOP_EXEC; return;
    case PTRACE_EVENT_CLONE: {
        unsigned long tid_of_new = 0;
        stop->kind = STOP_CLONE;
        ptrace(PTRACE_GETEVENTMSG, tid, 0, &tid_of_new);
        stop->new_thread = (int)tid_of_new;
        return;
    }
    default: break;
    }
    if (signal == (SIGTRAP | CALL_BIT)) {
        stop->kind = STOP_CALL;
        return;
    }
    stop->kind = STOP_SIGNAL;
    stop->signal = signal;
}

/* If job control stops the process meanwhile, that stop comes instead of the one that was asked
 * for, and instead of the first of a new thread. Let go on from it, the thread would run. */
static bool is_wanted(const struct stop *stop, enum stop_kind wanted)
{
    return stop->kind == wanted || (stop->kind == STOP_GROUP && wanted == STOP_TRAP);
}

/* From the stop that it is in, on and on until the wanted one. */
static bool go_on(int tid, int request, enum stop_kind wanted, struct stop *stop)
{
    do {
        int status;
        if (ptrace(request, tid, 0, stop->signal) || !wait_forever(tid, &status) ||
            !WIFSTOPPED(status))
            return false;
        classify(tid, status, stop);
    } while (!is_wanted(stop, wanted));
    return true;
}

bool stop_next(int tid, int request, enum stop_kind wanted, struct stop *ret_stop)
{
    *ret_stop = (struct stop){0};
    return go_on(tid, request, wanted, ret_stop);
}

bool stop_await(int tid, enum stop_kind wanted, int timeout_ms, struct stop *ret_stop)
{
    int status;
    *ret_stop = (struct stop){0};
    if (!wait_for(tid, timeout_ms, &status) || !WIFSTOPPED(status))
        return false;
    classify(tid, status, ret_stop);
    return is_wanted(ret_stop, wanted) || go_on(tid, PTRACE_CONT, wanted, ret_stop);
}

void stop_reap(int child)
{
    siginfo_t info = {0};
    while (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0 && info.si_pid &&
           info.si_pid != child) {
        waitpid(info.si_pid, NULL, __WALL | WNOHANG);
        info.si_pid = 0;
    }
}
