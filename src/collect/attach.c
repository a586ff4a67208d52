#include "collect/attach.h"

#include "base/err.h"
#include "base/vec.h"
#include "collect/follow.h"
#include "collect/perf_events.h"
#include "collect/proc.h"

#include <errno.h>

struct attach {
    struct perf_events *events;
    struct follow *follow;
    int pid;
    uint64_t now_ns;
    uint64_t followed, missed;
    struct err err; /* of the last that was missed */
};

/* One that has a row already was met in the first round, or started by one that was and inherited. */
static void attach_thread(void *closure, int tid)
{
    struct attach *attach = closure;
    uint32_t key = (uint32_t)tid;
    if (map_find(&attach->follow->tasks.tids, &key) != MAP_NONE)
        return;
    switch (perf_events_follow(attach->events, tid, false, &attach->err)) {
    case PERF_FOLLOWED: attach->followed++; break;
    case PERF_GONE: return;
    case PERF_REFUSED: attach->missed++; break;
    }
    tasks_get(&attach->follow->tasks, (uint32_t)attach->pid, key, attach->now_ns);
}

static void take_news(struct attach *attach)
{
    const struct perf_event_header *record;
    perf_events_refresh(attach->events, UINT64_MAX);
    while ((record = perf_events_next(attach->events)))
        follow_take(attach->follow, record);
    perf_events_publish(attach->events);
}

/* Two rounds: threads that were started while the first went on, by ones that it had not come to yet. */
bool attach_process(struct perf_events *events, struct follow *follow, int pid, uint64_t now_ns,
                    uint64_t *ret_missed, struct err *err)
{
    struct attach attach = {.events = events, .follow = follow, .pid = pid, .now_ns = now_ns};
    errno = 0;
    for (int round = 0; round < 2; round++) {
        if (!proc_each_thread(pid, attach_thread, &attach))
            return err_set(err, ERR_SYSTEM, "there is no process %d", pid);
        take_news(&attach);
    }
    *ret_missed += attach.missed;
    processes_get(&follow->processes, (uint32_t)pid);
    if (attach.followed)
        return true;
    *err = attach.err;
    return attach.missed ? err_in(err, "process %d", pid)
                         : err_set(err, ERR_SYSTEM, "process %d has ended", pid);
}
