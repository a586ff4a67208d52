#include "collect/target/target.h"

#include "base/clock.h"
#include "base/err.h"
#include "collect/target/attachable.h"
#include "collect/target/borrow.h"
#include "collect/target/stop.h"
#include "collect/target/thread_state.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>

enum { EXEC_MS = 10000 };

/* ---- a program that is started */

struct seizure {
    const struct launch *launch;
    bool seized;
};

static bool seize(void *closure, pid_t pid, struct err *err)
{
    struct seizure *seizure = closure;
    const struct launch *launch = seizure->launch;
    seizure->seized = ptrace(PTRACE_SEIZE, pid, 0, PTRACE_O_TRACEEXEC) == 0;
    return !launch->ready || launch->ready(launch->closure, pid, err);
}

/* It stands behind its execve with all signals blocked. */
static bool put_in(struct recording_target *target, int channel_fd, bool exact, struct err *err)
{
    struct stop stop;
    struct borrowed borrowed;
    struct attached attached = {0};
    int pid = target->child.pid;
    if (!stop_await(pid, STOP_EXEC, EXEC_MS, &stop) || !borrow_traced(&borrowed, pid, err))
        return err_set(err, ERR_SYSTEM, "process %d ended", pid);
    borrowed.mask = target->child.mask;
    if (!inject_begin_by(&attached.injected, &borrowed, channel_fd, exact, err))
        return false;
    if (!exact)
        *vec_push(target) = attached;
    return true;
}

bool target_start(struct recording_target *target, const struct launch *launch, enum target_way way,
                  int *ret_exec_errno, struct err *err)
{
    struct launch held = *launch;
    struct seizure seizure = {.launch = launch};
    struct err why;
    target->started = true;
    if (way != TARGET_LOADS) {
        held.held = true;
        held.ready = seize;
        held.closure = &seizure;
    }
    if (!launch_start(&held, &target->child, ret_exec_errno, err))
        return false;
    if (seizure.seized && !put_in(target, launch->channel_fd, way == TARGET_EXACT, &why))
        snprintf(target->bare, sizeof target->bare, "%s", why.text);
    return true;
}

/* ---- processes that run */

static bool attached_to(const struct recording_target *target, int pid)
{
    for (size_t i = 0; i < target->n; i++)
        if (target->at[i].injected.pid == pid)
            return true;
    return false;
}

static bool attach(struct recording_target *target, int pid, int channel_fd, struct err *err)
{
    struct attached attached = {0};
    if (attached_to(target, pid))
        return true;
    if (!inject_begin(&attached.injected, pid, channel_fd, err))
        return false;
    cpu_times_process(pid, &attached.before);
    attached.now = attached.before;
    *vec_push(target) = attached;
    return true;
}

/* Those that may be missing: one that has ended meanwhile, or cannot be attached to after all. */
static bool attach_some(struct recording_target *target, const int *pids, size_t n, int channel_fd,
                        struct err *err)
{
    for (size_t i = 0; i < n; i++)
        if (attachable_check(pids[i], err) && vigil_process(&target->vigil, pids[i], err))
            attach(target, pids[i], channel_fd, err);
    return target->n > 0;
}

static bool attach_each(struct recording_target *target, const int *pids, size_t n, int channel_fd,
                        struct err *err)
{
    bool good = true;
    for (size_t i = 0; good && i < n; i++)
        good = vigil_process(&target->vigil, pids[i], err);
    for (size_t i = 0; good && i < n; i++)
        good = attach(target, pids[i], channel_fd, err);
    return good;
}

bool target_attach(struct recording_target *target, const int *pids, size_t n, bool any,
                   int channel_fd, struct err *err)
{
    for (size_t i = 0; i < n && !any; i++)
        if (!attachable_check(pids[i], err))
            return false;
    /* From here on signals end the recording, not us in the middle of somebody else's thread. */
    if (!vigil_init(&target->vigil, NULL, err))
        return false;
    bool good = any ? attach_some(target, pids, n, channel_fd, err)
                    : attach_each(target, pids, n, channel_fd, err);
    if (!good)
        target_leave(target);
    return good;
}

/* ---- both */

void target_wait(struct recording_target *target, uint64_t timeout_ns)
{
    if (target->started) {
        launch_wait(&target->child, timeout_ns);
        stop_reap(target->child.pid);
        target->ended = target->child.ended;
        return;
    }
    vigil_wait(&target->vigil, clock_ns(CLOCK_MONOTONIC) + timeout_ns);
    stop_reap(0);
    target->ended = target->vigil.ended;
}

/* Became another program, that is, and did not end. */
static bool replaced(int pid)
{
    struct thread_state state;
    return thread_state_read(pid, pid, &state) && state.doing != 'Z' && state.doing != 'X';
}

static void look_after(struct recording_target *target, struct attached *attached)
{
    struct err err;
    int pid = attached->injected.pid;
    if (attached->gone || inject_refresh(&attached->injected, &err))
        return;
    attached->gone = true;
    if (!target->started && !inject_present(&attached->injected) && replaced(pid))
        snprintf(target->left, sizeof target->left,
                 "process %d became another program (exec), which is not recorded", pid);
}

void target_refresh(struct recording_target *target)
{
    size_t there = 0;
    for (size_t i = 0; i < target->n && !target->ended; i++) {
        struct attached *attached = &target->at[i];
        look_after(target, attached);
        cpu_times_process(attached->injected.pid, &attached->now);
        there += !attached->gone;
    }
    /* A process that became another program goes on without us. */
    target->ended |= !target->started && !there;
}

bool target_wants(const struct recording_target *target)
{
    return target->n && !target->at[0].injected.roster.n;
}

uint64_t target_deaf(const struct recording_target *target)
{
    uint64_t deaf = 0;
    for (size_t i = 0; i < target->n; i++)
        deaf += roster_deaf(&target->at[i].injected.roster);
    return deaf;
}

static void tell_stays(struct recording_target *target, int pid, struct err *why)
{
    struct thread_state state;
    bool stopped = thread_state_read(pid, pid, &state) && state.doing == 'T';
    err_in(why, "the agent stays in process %d%s", pid,
           stopped ? ", which is stopped by a signal (SIGCONT lets it go on)" : "");
    snprintf(target->left, sizeof target->left, "%s", why->text);
}

void target_leave(struct recording_target *target)
{
    struct err err;
    for (size_t i = 0; i < target->n && !target->started; i++) {
        struct attached *attached = &target->at[i];
        if (!attached->gone && !inject_end(&attached->injected, &err) &&
            inject_present(&attached->injected))
            tell_stays(target, attached->injected.pid, &err);
        attached->gone = true;
    }
}

void target_release(struct recording_target *target)
{
    vigil_release(&target->vigil);
    for (size_t i = 0; i < target->n; i++)
        inject_release(&target->at[i].injected);
    vec_release(target);
}

static uint64_t since(uint64_t before, uint64_t now)
{
    return now > before ? now - before : 0;
}

void target_times(struct recording_target *target, struct cpu_times *ret_times)
{
    struct cpu_times times = {0};
    if (target->started)
        cpu_times_read(&target->child, &times);
    for (size_t i = 0; i < target->n && !target->started; i++) {
        struct attached *attached = &target->at[i];
        cpu_times_process(attached->injected.pid, &attached->now);
        times.user_ns += since(attached->before.user_ns, attached->now.user_ns);
        times.kernel_ns += since(attached->before.kernel_ns, attached->now.kernel_ns);
    }
    *ret_times = times;
}
