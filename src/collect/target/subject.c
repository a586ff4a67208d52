#include "collect/target/subject.h"

#include "base/err.h"
#include "collect/target/attachable.h"
#include "collect/target/borrow.h"
#include "collect/target/stop.h"
#include "collect/target/thread_state.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <time.h>

enum { EXEC_MS = 10000 };

/* ---- a program that is started */

static bool seize(void *closure, pid_t pid, struct err *err)
{
    bool *seized = closure;
    (void)err;
    *seized = ptrace(PTRACE_SEIZE, pid, 0, PTRACE_O_TRACEEXEC) == 0;
    return true;
}

/* It stands behind its execve with all signals blocked. */
static bool put_in(struct subject *subject, int channel_fd, bool exact, struct err *err)
{
    struct stop stop;
    struct borrowed borrowed;
    struct attached attached = {0};
    int pid = subject->child.pid;
    if (!stop_await(pid, STOP_EXEC, EXEC_MS, &stop) || !borrow_traced(&borrowed, pid, err))
        return err_set(err, ERR_SYSTEM, "process %d ended", pid);
    borrowed.mask = subject->child.mask;
    if (!inject_begin_by(&attached.injected, &borrowed, channel_fd, exact, err))
        return false;
    if (!exact)
        *vec_push(subject) = attached;
    return true;
}

bool subject_start(struct subject *subject, const struct launch *launch, enum subject_way way,
                   int *ret_exec_errno, struct err *err)
{
    struct launch held = *launch;
    bool seized = false;
    struct err why;
    subject->started = true;
    if (way != SUBJECT_LOADS) {
        held.held = true;
        held.ready = seize;
        held.closure = &seized;
    }
    if (!launch_start(&held, &subject->child, ret_exec_errno, err))
        return false;
    if (seized && !put_in(subject, launch->channel_fd, way == SUBJECT_EXACT, &why))
        snprintf(subject->bare, sizeof subject->bare, "%s", why.text);
    return true;
}

/* ---- processes that run */

static bool attached_to(const struct subject *subject, int pid)
{
    for (size_t i = 0; i < subject->n; i++)
        if (subject->at[i].injected.pid == pid)
            return true;
    return false;
}

static bool attach(struct subject *subject, int pid, int channel_fd, struct err *err)
{
    struct attached attached = {0};
    if (attached_to(subject, pid))
        return true;
    if (!inject_begin(&attached.injected, pid, channel_fd, err))
        return false;
    cpu_times_process(pid, &attached.before);
    attached.now = attached.before;
    *vec_push(subject) = attached;
    return true;
}

bool subject_attach(struct subject *subject, const int *pids, size_t n, int channel_fd,
                    struct err *err)
{
    for (size_t i = 0; i < n; i++)
        if (!attachable_check(pids[i], err))
            return false;
    /* From here on signals end the recording, not us in the middle of somebody else's thread. */
    if (!vigil_init(&subject->vigil, NULL, err))
        return false;
    bool good = true;
    for (size_t i = 0; good && i < n; i++)
        good = vigil_process(&subject->vigil, pids[i], err);
    for (size_t i = 0; good && i < n; i++)
        good = attach(subject, pids[i], channel_fd, err);
    if (!good)
        subject_leave(subject);
    return good;
}

/* ---- both */

void subject_wait(struct subject *subject, uint64_t timeout_ns)
{
    if (subject->started) {
        launch_wait(&subject->child, timeout_ns);
        stop_reap(subject->child.pid);
        subject->ended = subject->child.ended;
        return;
    }
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    vigil_wait(&subject->vigil,
               (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec + timeout_ns);
    stop_reap(0);
    subject->ended = subject->vigil.ended;
}

/* Became another program, that is, and did not end. */
static bool replaced(int pid)
{
    struct thread_state state;
    return thread_state_read(pid, pid, &state) && state.doing != 'Z' && state.doing != 'X';
}

static void look_after(struct subject *subject, struct attached *attached)
{
    struct err err;
    int pid = attached->injected.pid;
    if (attached->gone || inject_refresh(&attached->injected, &err))
        return;
    attached->gone = true;
    if (!subject->started && !inject_present(&attached->injected) && replaced(pid))
        snprintf(subject->left, sizeof subject->left,
                 "process %d became another program (exec), which is not recorded", pid);
}

void subject_refresh(struct subject *subject)
{
    size_t there = 0;
    for (size_t i = 0; i < subject->n && !subject->ended; i++) {
        struct attached *attached = &subject->at[i];
        look_after(subject, attached);
        cpu_times_process(attached->injected.pid, &attached->now);
        there += !attached->gone;
    }
    /* A process that became another program goes on without us. */
    subject->ended |= !subject->started && !there;
}

bool subject_wants(const struct subject *subject)
{
    return subject->n && !subject->at[0].injected.roster.n;
}

uint64_t subject_deaf(const struct subject *subject)
{
    uint64_t deaf = 0;
    for (size_t i = 0; i < subject->n; i++)
        deaf += roster_deaf(&subject->at[i].injected.roster);
    return deaf;
}

static void tell_stays(struct subject *subject, int pid, struct err *why)
{
    struct thread_state state;
    bool stopped = thread_state_read(pid, pid, &state) && state.doing == 'T';
    err_in(why, "the agent stays in process %d%s", pid,
           stopped ? ", which is stopped by a signal (SIGCONT lets it go on)" : "");
    snprintf(subject->left, sizeof subject->left, "%s", why->text);
}

void subject_leave(struct subject *subject)
{
    struct err err;
    for (size_t i = 0; i < subject->n && !subject->started; i++) {
        struct attached *attached = &subject->at[i];
        if (!attached->gone && !inject_end(&attached->injected, &err) &&
            inject_present(&attached->injected))
            tell_stays(subject, attached->injected.pid, &err);
        attached->gone = true;
    }
}

void subject_release(struct subject *subject)
{
    vigil_release(&subject->vigil);
    for (size_t i = 0; i < subject->n; i++)
        inject_release(&subject->at[i].injected);
    vec_release(subject);
}

static uint64_t since(uint64_t before, uint64_t now)
{
    return now > before ? now - before : 0;
}

void subject_times(struct subject *subject, struct cpu_times *ret_times)
{
    struct cpu_times times = {0};
    if (subject->started)
        cpu_times_read(&subject->child, &times);
    for (size_t i = 0; i < subject->n && !subject->started; i++) {
        struct attached *attached = &subject->at[i];
        cpu_times_process(attached->injected.pid, &attached->now);
        times.user_ns += since(attached->before.user_ns, attached->now.user_ns);
        times.kernel_ns += since(attached->before.kernel_ns, attached->now.kernel_ns);
    }
    *ret_times = times;
}
