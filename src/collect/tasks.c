#include "collect/tasks.h"

#include "collect/perf_record.h"
#include "collect/proc.h"
#include "profile/profile.h"
#include "profile/sums.h"

#include <stdio.h>
#include <string.h>

void tasks_init(struct tasks *tasks, struct profile *profile)
{
    *tasks = (struct tasks){.profile = profile, .began_ns = UINT64_MAX};
    map_init(&tasks->tids, sizeof(uint32_t));
}

void tasks_release(struct tasks *tasks)
{
    map_release(&tasks->tids);
    vec_release(tasks);
}

/* ---- telling */

/* Brings the accounts up to `now_ns`. */
static void task_account(const struct tasks *tasks, struct task *task, uint64_t now_ns)
{
    uint64_t from = task->since_ns > tasks->began_ns ? task->since_ns : tasks->began_ns;
    if (!task->ended && tasks->switches && now_ns > from)
        *(task->on ? &task->on_ns : &task->off_ns) += now_ns - from;
    if (now_ns > task->since_ns)
        task->since_ns = now_ns;
}

/* The user's part of the time on CPUs. Where the kernel is not sampled, what samples do not speak for
 * is the kernel's. */
static uint64_t task_user_ns(const struct tasks *tasks, const struct task *task)
{
    u128 user = task->user_weight, all = user + task->kernel_weight;
    if (!tasks->kernel)
        return user < task->on_ns ? (uint64_t)user : task->on_ns;
    return all ? (uint64_t)(task->on_ns * user / all) : 0;
}

/* Time on CPUs waits for a sample to say what it was; at the end, without any, it stays untold. */
static void task_tell(const struct tasks *tasks, struct task *task)
{
    struct profile *profile = tasks->profile;
    bool sampled = tasks->clock && (task->user_weight || task->kernel_weight);
    if ((!sampled && !task->off_ns && !task->switches) || task->pid == tasks->own_pid)
        return;
    struct thread *row =
        threads_row(&profile->threads, &profile->arena, task->pid, task->tid, task->name);
    if (sampled) {
        uint64_t user_ns = task_user_ns(tasks, task);
        sum_add(&row->user_ns, user_ns);
        sum_add(&row->kernel_ns, task->on_ns - user_ns);
        task->on_ns = task->user_weight = task->kernel_weight = 0;
    }
    sum_add(&row->off_ns, task->off_ns);
    sum_add(&profile->totals.off_ns, task->off_ns);
    sum_add(&row->switches, task->switches);
    task->off_ns = task->switches = 0;
}

void tasks_tell(struct tasks *tasks, uint64_t now_ns, bool last)
{
    for (size_t i = 0; i < tasks->n; i++) {
        struct task *task = &tasks->at[i];
        task_account(tasks, task, now_ns);
        task_tell(tasks, task);
        task->ended = task->ended || last;
    }
}

/* ---- coming and going */

static struct task *task_new(struct tasks *tasks, uint32_t pid, uint32_t tid, const char *name,
                             uint64_t now_ns)
{
    uint32_t index = map_add(&tasks->tids, &tid);
    if (index == tasks->n)
        (void)vec_push(tasks);
    else
        task_tell(tasks, &tasks->at[index]);
    struct task *task = &tasks->at[index];
    *task = (struct task){.pid = pid, .tid = tid, .since_ns = now_ns};
    snprintf(task->name, sizeof task->name, "%s", name);
    return task;
}

struct task *tasks_get(struct tasks *tasks, uint32_t pid, uint32_t tid, uint64_t now_ns)
{
    uint32_t index = map_find(&tasks->tids, &tid);
    if (index != MAP_NONE)
        return &tasks->at[index];
    char name[16];
    proc_read_name((int)pid, (int)tid, name);
    return task_new(tasks, pid, tid, name, now_ns);
}

/* A thread has the name of the one that started it until it gets another. */
void tasks_fork(struct tasks *tasks, const struct perf_task *fork)
{
    char name[16];
    const struct task *parent =
        tasks_get(tasks, fork->parent_pid, fork->parent_tid, fork->ids.time_ns);
    memcpy(name, parent->name, sizeof name);
    task_new(tasks, fork->pid, fork->tid, name, fork->ids.time_ns);
}

void tasks_exit(struct tasks *tasks, const struct perf_task *exit)
{
    struct task *task = tasks_get(tasks, exit->pid, exit->tid, exit->ids.time_ns);
    task_account(tasks, task, exit->ids.time_ns);
    /* Those that live for less than a period are never met by a clock that starts anew in every thread. */
    if (tasks->clock && tasks->restarts && task->on_ns && !task->sampled && !task->ended)
        sum_add(&tasks->profile->totals.losses[LOSS_unsampled], 1);
    task->ended = true;
}

void tasks_name(struct tasks *tasks, const struct perf_name *name)
{
    struct task *task = tasks_get(tasks, name->pid, name->tid, name->ids.time_ns);
    task_account(tasks, task, name->ids.time_ns);
    task_tell(tasks, task);
    snprintf(task->name, sizeof task->name, "%s", name->name);
    task->on = true; /* it named itself, or a sibling did: then the next switch puts it right */
}

void tasks_switch(struct tasks *tasks, const struct perf_ids *ids, bool out)
{
    struct task *task = tasks_get(tasks, ids->pid, ids->tid, ids->time_ns);
    task_account(tasks, task, ids->time_ns);
    task->switches += out;
    task->on = !out;
}
