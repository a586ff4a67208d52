#include "collect/kernel/tasks.h"

#include "collect/perf/perf_record.h"
#include "collect/perf/proc.h"
#include "profile/profile.h"
#include "profile/sums.h"

#include <stdio.h>
#include <string.h>

void tasks_init(struct tasks *tasks, struct profile *profile)
{
    *tasks = (struct tasks){.profile = profile, .began_ns = UINT64_MAX};
    map_init(&tasks->tids, sizeof(uint32_t));
    map_init(&tasks->own, sizeof(uint32_t));
    lives_init(&tasks->lives, profile);
}

void tasks_release(struct tasks *tasks)
{
    lives_release(&tasks->lives);
    map_release(&tasks->tids);
    map_release(&tasks->own);
    vec_release(&tasks->cpus);
    vec_release(tasks);
}

/* ---- telling */

bool tasks_own(const struct tasks *tasks, uint32_t pid, uint32_t tid)
{
    return pid == tasks->own_pid || (tasks->own.n && map_find(&tasks->own, &tid) != MAP_NONE);
}

/* The idle ones of all CPUs have one number. */
static bool task_untold(const struct tasks *tasks, const struct task *task)
{
    return !task->tid || tasks_own(tasks, task->pid, task->tid);
}

/* Whoever is on a CPU has a sample every period. Where records were lost, a longer time without one
 * means that its leaving is among them: a thread that slept was once said to have run for a minute.
 */
static uint64_t on_at_most(const struct tasks *tasks, uint64_t ns)
{
    bool sampled = !tasks->lives.only[0] && !tasks->lives.only[1] && tasks->lives.short_ns;
    uint64_t most = 2 * tasks->lives.short_ns;
    return tasks->lossy && sampled && ns > most ? most : ns;
}

/* Brings the accounts up to `now_ns`. */
static void task_account(struct tasks *tasks, struct task *task, uint64_t now_ns)
{
    uint64_t from = task->since_ns > tasks->began_ns ? task->since_ns : tasks->began_ns;
    if (!task->ended && tasks->switches && now_ns > from && !task_untold(tasks, task)) {
        struct life *life = &tasks->lives.at[task->life];
        uint64_t on = task->on ? on_at_most(tasks, now_ns - from) : 0;
        sum_add(&life->part.on_ns, on);
        sum_add(&task->off_ns, now_ns - from - on);
        life->all_ns += on;
    }
    if (now_ns > task->since_ns)
        task->since_ns = now_ns;
}

/* Up to a record that shows whether it was on a CPU. */
static void task_account_as(struct tasks *tasks, struct task *task, bool was_on, uint64_t now_ns)
{
    if (task->unknown)
        task->on = was_on;
    task->unknown = false;
    task_account(tasks, task, now_ns);
}

/* One that is on a CPU is accounted for up to its last record only: it has one every period, and if
 * its leaving was lost, it must not be thought to run for ever. One that nothing is heard of does
 * not run. */
static void task_account_now(struct tasks *tasks, struct task *task, uint64_t now_ns, bool last)
{
    if (task->unknown && !last && now_ns - task->since_ns < tasks->lives.short_ns)
        return;
    if (task->unknown || !task->on || last)
        task_account_as(tasks, task, false, now_ns);
}

/* ---- CPUs */

enum { CPUS_MAX = 1 << 16 };

uint32_t tasks_tid(const struct tasks *tasks, const struct perf_ids *ids)
{
    if (ids->tid != (uint32_t)TID_GONE || ids->cpu >= tasks->cpus.n || !tasks->cpus.at[ids->cpu])
        return ids->tid;
    return tasks->at[tasks->cpus.at[ids->cpu] - 1].tid;
}

/* A CPU has one thread at a time: whoever was there before has left, even if nobody said so. */
static void task_met(struct tasks *tasks, struct task *task, const struct perf_ids *ids)
{
    if (ids->cpu >= CPUS_MAX)
        return;
    while (tasks->cpus.n <= ids->cpu)
        *vec_push(&tasks->cpus) = 0;
    uint32_t *on = &tasks->cpus.at[ids->cpu], index = (uint32_t)(task - tasks->at) + 1;
    struct task *before = *on && *on != index ? &tasks->at[*on - 1] : NULL;
    if (before && before->on && before->cpu == ids->cpu) {
        task_account(tasks, before, ids->time_ns);
        before->on = false;
    }
    *on = index;
    task->cpu = ids->cpu;
}

static void task_tell(const struct tasks *tasks, struct task *task)
{
    struct profile *profile = tasks->profile;
    if ((!task->off_ns && !task->switches) || task_untold(tasks, task))
        return;
    struct thread_times *row =
        threads_row(&profile->threads, &profile->arena, task->pid, task->tid, task->name);
    sum_add(&row->off_ns, task->off_ns);
    sum_add(&tasks->lives.totals->off_ns, task->off_ns);
    sum_add(&row->switches, task->switches);
    task->off_ns = task->switches = 0;
}

static void life_moved(void *closure, const struct life *life, uint32_t number)
{
    struct tasks *tasks = closure;
    tasks->at[map_find(&tasks->tids, &life->tid)].life = number;
}

/* What an agent samples, it also tells the times of. */
static void task_lives(struct tasks *tasks, struct task *task, uint32_t life)
{
    task->life = life;
    tasks->lives.at[life].walked = task->walked;
}

void task_walked(struct tasks *tasks, struct task *task, bool walked)
{
    task->walked = walked;
    if (!task->ended)
        task_lives(tasks, task, task->life);
}

static void life_end(struct tasks *tasks, struct task *task)
{
    if (!task->ended)
        tasks->lives.at[task->life].ended = true;
}

void tasks_tell(struct tasks *tasks, uint64_t now_ns, bool last)
{
    for (size_t i = 0; i < tasks->n; i++) {
        struct task *task = &tasks->at[i];
        task_account_now(tasks, task, now_ns, last);
        task_tell(tasks, task);
        if (last)
            life_end(tasks, task);
        task->ended = task->ended || last;
    }
    lives_settle(&tasks->lives, last, life_moved, tasks);
}

/* ---- coming and going */

/* What is known of it under this name is all that ever will be. */
static void task_leave(struct tasks *tasks, struct task *task)
{
    task_tell(tasks, task);
    life_end(tasks, task);
}

static struct task *task_new(struct tasks *tasks, uint32_t pid, uint32_t tid, const char *name,
                             uint64_t now_ns)
{
    uint32_t index = map_add(&tasks->tids, &tid);
    if (index == tasks->n)
        (void)vec_push(tasks);
    else
        task_leave(tasks, &tasks->at[index]);
    struct task *task = &tasks->at[index];
    *task = (struct task){.pid = pid, .tid = tid, .since_ns = now_ns};
    task_lives(tasks, task, lives_add(&tasks->lives, pid, tid, name));
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
    struct task *task = task_new(tasks, pid, tid, name, now_ns);
    task->unknown = true;
    return task;
}

void tasks_forget(struct tasks *tasks, uint32_t tid)
{
    uint32_t index = map_find(&tasks->tids, &tid);
    if (index == MAP_NONE)
        return;
    life_end(tasks, &tasks->at[index]);
    tasks->at[index].ended = true;
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
    task_account_as(tasks, task, true, exit->ids.time_ns);
    life_end(tasks, task);
    task->ended = true;
}

/* A thread that becomes a program takes the number of its process's first, which has ended, and
 * leaves its own without a word. */
static void tasks_replaced(struct tasks *tasks, uint32_t pid, uint64_t now_ns)
{
    for (size_t i = 0; i < tasks->n; i++) {
        struct task *task = &tasks->at[i];
        if (task->pid != pid || task->tid == pid || task->ended)
            continue;
        task_account_as(tasks, task, false, now_ns);
        task_leave(tasks, task);
        task->ended = true;
    }
}

/* Where threads are followed one by one, nothing is heard of one that has ended. */
static void task_revive(struct tasks *tasks, struct task *task, uint64_t now_ns)
{
    if (!task->ended || task->tid != task->pid || !tasks->one_by_one)
        return;
    tasks_replaced(tasks, task->pid, now_ns);
    task_lives(tasks, task, lives_add(&tasks->lives, task->pid, task->tid, task->name));
    task->since_ns = now_ns;
    task->ended = false;
}

void tasks_name(struct tasks *tasks, const struct perf_name *name)
{
    struct task *task = tasks_get(tasks, name->pid, name->tid, name->ids.time_ns);
    bool itself = name->ids.tid == name->tid; /* else a sibling did, and it may be asleep */
    task_revive(tasks, task, name->ids.time_ns);
    if (itself)
        task_account_as(tasks, task, true, name->ids.time_ns);
    else
        task_account(tasks, task, name->ids.time_ns);
    task_tell(tasks, task);
    snprintf(task->name, sizeof task->name, "%s", name->name);
    if (itself)
        task->on = true;
    task_lives(tasks, task,
               lives_rename(&tasks->lives, task->ended ? LIFE_NONE : task->life, task->pid,
                            task->tid, task->name));
    task->ended = false;
}

void tasks_switch(struct tasks *tasks, const struct perf_ids *ids, bool out)
{
    struct task *task = tasks_get(tasks, ids->pid, ids->tid, ids->time_ns);
    task_revive(tasks, task, ids->time_ns);
    if (!out && task->on) /* its leaving was lost */
        task->on = false;
    task_account_as(tasks, task, out, ids->time_ns);
    task->switches += out;
    task->on = !out;
    task_met(tasks, task, ids);
    if (out && task->leaving) {
        life_end(tasks, task);
        task->ended = true;
    }
}

void tasks_sample(struct tasks *tasks, const struct perf_ids *ids, uint32_t node, uint32_t group,
                  uint64_t weight, bool kernel)
{
    struct task *task = tasks_get(tasks, ids->pid, ids->tid, ids->time_ns);
    task_account_as(tasks, task, true, ids->time_ns);
    task->on = true;
    task_met(tasks, task, ids);
    task->leaving |= task->ended;
    if (task->ended)
        task_lives(tasks, task, lives_add(&tasks->lives, task->pid, task->tid, task->name));
    task->ended = false;
    lives_sample(&tasks->lives, &(struct lives_sample){.life = task->life,
                                                       .node = node,
                                                       .weight = weight,
                                                       .time_ns = ids->time_ns,
                                                       .cpu = ids->cpu,
                                                       .group = (uint8_t)group,
                                                       .kernel = kernel});
}
