#include "collect/kernel/attach.h"

#include "base/err.h"
#include "base/vec.h"
#include "collect/kernel/follow.h"
#include "collect/perf/perf_events.h"
#include "collect/perf/proc.h"

#include <fcntl.h>
#include <unistd.h>

struct attach {
    struct perf_events *events;
    struct follow *follow;
    int pid;
    uint64_t now_ns;
    struct tids {
        VEC(int);
    } tids; /* of this round */
    uint64_t followed, missed;
    struct err err; /* of the last that was missed */
};

/* What is needed later must not be missing because threads have taken every descriptor. */
enum { SPARE_N = 16 };

static void spare_take(int spare[SPARE_N])
{
    for (int i = 0; i < SPARE_N; i++)
        spare[i] = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
}

static void spare_give_back(const int spare[SPARE_N])
{
    for (int i = 0; i < SPARE_N; i++)
        if (spare[i] >= 0)
            close(spare[i]);
}

static void list_thread(void *closure, int tid)
{
    struct attach *attach = closure;
    *vec_push(&attach->tids) = tid;
}

/* One that has a row already was met in the first round, or started by one that was and inherited.
 */
static void attach_thread(struct attach *attach, int tid)
{
    uint32_t key = (uint32_t)tid;
    bool refused = false;
    if (map_find(&attach->follow->tasks.tids, &key) != MAP_NONE)
        return;
    switch (perf_events_follow(attach->events, tid, false, &attach->err)) {
    case PERF_FOLLOWED: attach->followed++; break;
    case PERF_GONE: return;
    case PERF_REFUSED:
        attach->missed++;
        refused = true;
        break;
    }
    tasks_get(&attach->follow->tasks, (uint32_t)attach->pid, key, attach->now_ns);
    if (!refused)
        waits_meet(&attach->follow->waits, (uint32_t)attach->pid, key, attach->now_ns);
    if (refused) /* nothing will be known of it: neither does it run nor wait */
        tasks_forget(&attach->follow->tasks, key);
}

static void take_news(struct attach *attach)
{
    follow_read(attach->follow, attach->events, UINT64_MAX);
}

static bool attach_round(struct attach *attach)
{
    int spare[SPARE_N];
    attach->tids.n = 0;
    if (!proc_each_thread(attach->pid, list_thread, attach))
        return false;
    spare_take(spare);
    for (size_t i = 0; i < attach->tids.n; i++)
        attach_thread(attach, attach->tids.at[i]);
    spare_give_back(spare);
    take_news(attach);
    return true;
}

/* Two rounds: threads that were started while the first went on, by ones that it had not come to
 * yet. */
bool attach_process(struct perf_events *events, struct follow *follow, int pid, uint64_t now_ns,
                    uint64_t *ret_missed, struct err *err)
{
    struct attach attach = {.events = events, .follow = follow, .pid = pid, .now_ns = now_ns};
    bool there = attach_round(&attach) && attach_round(&attach);
    vec_release(&attach.tids);
    if (!there)
        return err_set(err, ERR_SYSTEM, "there is no process %d", pid);
    *ret_missed += attach.missed;
    processes_get(&follow->processes, (uint32_t)pid);
    if (attach.followed)
        return true;
    *err = attach.err;
    return attach.missed ? err_in(err, "process %d", pid)
                         : err_set(err, ERR_SYSTEM, "process %d has ended", pid);
}

/* A thread that left its CPU after it was met, but before the waiter was on, has no stack.
 * Injection gives back the threads that it borrows, and some do so just then. */
void attach_start(struct perf_events *events, struct follow *follow, uint64_t now_ns)
{
    struct attach attach = {.events = events, .follow = follow};
    follow->tasks.began_ns = now_ns;
    perf_events_start(events);
    if (!events->request->waits)
        return;
    take_news(&attach);
    for (size_t i = 0; i < follow->tasks.n; i++) {
        const struct task *task = &follow->tasks.at[i];
        if (!task->ended)
            waits_meet(&follow->waits, task->pid, task->tid, now_ns);
    }
}

void threads_list(struct threads_running *running, const struct follow *follow)
{
    for (size_t i = 0; i < follow->tasks.n; i++) {
        const struct task *task = &follow->tasks.at[i];
        if (!task->ended && !tasks_own(&follow->tasks, task->pid, task->tid))
            *vec_push(running) = task->tid;
    }
}

bool attach_again(struct perf_events *events, const struct threads_running *running)
{
    int spare[SPARE_N];
    struct err err;
    size_t followed = 0;
    spare_take(spare);
    for (size_t i = 0; i < running->n; i++)
        followed += perf_events_follow(events, (int)running->at[i], false, &err) == PERF_FOLLOWED;
    spare_give_back(spare);
    return followed;
}
