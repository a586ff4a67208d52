#include "collect/kernel/looks.h"

#include "base/clock.h"
#include "collect/kernel/blocked.h"
#include "collect/perf/proc.h"
#include "collect/target/thread_state.h"
#include "profile/sums.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum {
    MAPS_ROUNDS = 16, /* mappings are read again after so many looks: programs load libraries */
    OFTEN = 100,      /* waits between two looks: seldom met by looks */
    SLICES_MAX = 4,   /* threads that are watched at a look */
    COST_PARTS = 500, /* of all time: for looks, at most */
};
static const uint64_t PAUSE_NS = 150000000, FIRST_NS = 30000000;

void looks_init(struct looks *looks, struct profile *profile)
{
    *looks = (struct looks){.profile = profile};
    map_init(&looks->pids, sizeof(uint32_t));
    map_init(&looks->own, sizeof(uint32_t));
    map_init(&looks->tids, sizeof(uint32_t));
    processes_init(&looks->processes, profile);
    looks->processes.files.partial = true;
    tasks_init(&looks->tasks, profile);
    samples_init(&looks->stacks, profile, &looks->processes, &looks->tasks);
    looks->stacks.nodes = &profile->waits;
    looks->stacks.totals = &looks->losses;
}

void looks_release(struct looks *looks)
{
    samples_release(&looks->stacks);
    tasks_release(&looks->tasks);
    processes_release(&looks->processes);
    map_release(&looks->pids);
    map_release(&looks->own);
    map_release(&looks->tids);
    vec_release(&looks->spots);
    vec_release(looks);
}

void looks_start(struct looks *looks, const struct perf_event_attr *waiter, uint64_t now_ns)
{
    looks->waiter = waiter;
    looks->on = true;
    looks->began_ns = now_ns;
    looks->next_ns = now_ns + FIRST_NS;
}

void looks_process(struct looks *looks, uint32_t pid)
{
    map_add(&looks->pids, &pid);
}

void looks_forget(struct looks *looks)
{
    samples_forget(&looks->stacks);
}

/* ---- /proc */

static bool times_read(const struct look_thread *thread, struct look_times *ret_times)
{
    char text[128];
    return thread_text((int)thread->pid, (int)thread->tid, "schedstat", text, sizeof text) &&
           sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNu64, &ret_times->run_ns,
                  &ret_times->runnable_ns, &ret_times->slices) == 3;
}

/* ---- one thread */

static void weigh(struct looks *looks, uint32_t node, uint32_t kind, uint64_t ns, uint64_t n,
                  uint64_t longest_ns, uint64_t seen)
{
    struct stacks *waits = &looks->profile->waits;
    stacks_add(waits, node, kind + WAIT_NS, ns);
    stacks_add(waits, node, kind + WAIT_COUNT, n);
    stacks_add(waits, node, kind + WAIT_LONGEST, longest_ns);
    stacks_add(waits, node, kind + WAIT_SEEN, seen);
    const uint64_t weights[WAIT_KIND_GROUPS] = {
        [WAIT_NS] = ns, [WAIT_COUNT] = n, [WAIT_LONGEST] = longest_ns, [WAIT_SEEN] = seen};
    wait_times_add(looks->profile, node, kind, weights, clock_ns(CLOCK_REALTIME),
                   longest_ns ? longest_ns : ns);
}

static uint32_t root_of(struct looks *looks, const struct look_thread *thread)
{
    return stacks_node(&looks->profile->waits, STACK_NONE, MODULE_NONE,
                       stack_thread(thread->pid, thread->tid));
}

static uint64_t less(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Time since the last look. */
static void thread_account(struct looks *looks, struct look_thread *thread, uint64_t now_ns,
                           struct look_times now)
{
    uint64_t all = now_ns - thread->at_ns;
    uint64_t run = less(now.run_ns - thread->times.run_ns, all);
    uint64_t runnable = less(now.runnable_ns - thread->times.runnable_ns, all - run);
    if (now.slices != thread->times.slices)
        thread->since_ns = now_ns;
    thread->blocked_ns += all - run - runnable;
    thread->runnable_ns += runnable;
    thread->often = now.slices - thread->times.slices;
    thread->waits += thread->often;
    looks->off_ns += all - run;
    thread->off_ns += all - run;
    thread->times = now;
    thread->at_ns = now_ns;
}

/* The part of `all` that falls on the next of several, so that the parts add up to it. */
static uint64_t deal(uint64_t all, uint64_t *dealt, uint64_t now, uint64_t of)
{
    uint64_t before = *dealt;
    *dealt += now;
    return of ? (uint64_t)((u128)all * *dealt / of - (u128)all * before / of) : 0;
}

/* Time and number of waits since the last look, as the waits of a moment divide them. */
static void spots_weigh(struct looks *looks, struct look_thread *thread)
{
    uint64_t ns[2] = {0}, n = 0, dealt_ns[2] = {0}, dealt = 0;
    const struct wait_spots *spots = &looks->spots;
    for (size_t i = 0; i < spots->n; i++) {
        ns[spots->at[i].runnable] += spots->at[i].ns;
        n += spots->at[i].n;
    }
    for (size_t i = 0; i < spots->n; i++) {
        const struct wait_spot *spot = &spots->at[i];
        bool runnable = spot->runnable;
        weigh(looks, spot->node, runnable ? WAIT_RUNNABLE : WAIT_BLOCKED,
              deal(runnable ? thread->runnable_ns : thread->blocked_ns, &dealt_ns[runnable],
                   spot->ns, ns[runnable]),
              deal(thread->waits, &dealt, spot->n, n), spot->longest_ns, spot->n);
        looks->stacks_n += spot->n;
    }
    thread->blocked_ns = ns[0] ? 0 : thread->blocked_ns;
    thread->runnable_ns = ns[1] ? 0 : thread->runnable_ns;
    thread->waits = n ? 0 : thread->waits;
}

/* Whether it waits so often that it must be watched, and it is its turn. */
static bool is_turn(struct looks *looks, const struct look_thread *thread)
{
    if (!looks->waiter || thread->often < OFTEN)
        return false;
    uint32_t turns = looks->heavy_before / SLICES_MAX + 1;
    return looks->heavy++ % turns == looks->rounds % turns;
}

static void stack_look(struct looks *looks, struct look_thread *thread, uint64_t now_ns)
{
    struct blocked blocked;
    if (is_turn(looks, thread) &&
        wait_slice_take(&looks->spots, looks->waiter, thread->tid, &looks->stacks)) {
        spots_weigh(looks, thread);
        return;
    }
    if (!thread->blocked_ns || !blocked_read(thread->pid, thread->tid, &blocked))
        return;
    weigh(looks, blocked_node(&looks->stacks, thread->pid, thread->tid, &blocked), WAIT_BLOCKED,
          thread->blocked_ns, thread->waits, now_ns - thread->since_ns, 1);
    thread->blocked_ns = thread->waits = 0;
    looks->stacks_n++;
}

static void thread_look(struct looks *looks, struct look_thread *thread, uint64_t now_ns)
{
    struct look_times now;
    bool known = thread->round;
    if (!times_read(thread, &now))
        return;
    thread->round = looks->rounds;
    if (known) {
        thread_account(looks, thread, now_ns, now);
        stack_look(looks, thread, now_ns);
        return;
    }
    proc_read_name((int)thread->pid, (int)thread->tid, thread->name);
    thread->times = now; /* its life before that is not known */
    thread->at_ns = thread->since_ns = now_ns;
    thread->waits = 1;
}

/* ---- all */

struct round {
    struct looks *looks;
    uint32_t pid;
};

static void each_thread(void *closure, int tid)
{
    const struct round *round = closure;
    struct looks *looks = round->looks;
    uint32_t key = (uint32_t)tid;
    if (map_find(&looks->own, &key) != MAP_NONE)
        return;
    uint32_t index = map_add(&looks->tids, &key);
    if (index == looks->n)
        *vec_push(looks) = (struct look_thread){.pid = round->pid, .tid = key};
    if (looks->at[index].pid != round->pid) /* the number is another's now */
        looks->at[index] = (struct look_thread){.pid = round->pid, .tid = key};
    thread_look(looks, &looks->at[index], clock_ns(CLOCK_MONOTONIC));
}

void looks_take(struct looks *looks, uint64_t now_ns)
{
    if (!looks->on || now_ns < looks->next_ns)
        return;
    looks->rounds++;
    looks->heavy_before = looks->heavy;
    looks->heavy = 0;
    uint64_t own = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    for (uint32_t i = 0; i < looks->pids.n; i++) {
        struct round round = {.looks = looks};
        memcpy(&round.pid, map_key(&looks->pids, i), sizeof round.pid);
        if (looks->rounds % MAPS_ROUNDS == 1 ||
            map_find(&looks->processes.pids, &round.pid) == MAP_NONE)
            processes_reread(&looks->processes, round.pid, true);
        proc_each_thread((int)round.pid, each_thread, &round);
    }
    uint64_t cost = clock_ns(CLOCK_THREAD_CPUTIME_ID) - own;
    uint64_t pause = FIRST_NS * looks->rounds; /* short programs want to be seen, too */
    looks->next_ns = now_ns + less(pause, PAUSE_NS) + cost * COST_PARTS;
}

static void off_tell(struct looks *looks)
{
    struct profile *profile = looks->profile;
    for (size_t i = 0; i < looks->n; i++) {
        struct look_thread *thread = &looks->at[i];
        if (thread->off_ns)
            sum_add(&threads_row(&profile->threads, &profile->arena, thread->pid, thread->tid,
                                 thread->name)
                         ->off_ns,
                    thread->off_ns);
        thread->off_ns = 0;
    }
}

uint64_t looks_tell(struct looks *looks, bool last, bool times)
{
    uint64_t off = looks->off_ns;
    looks->off_ns = 0;
    if (times)
        off_tell(looks);
    for (size_t i = 0; last && i < looks->n; i++) {
        struct look_thread *thread = &looks->at[i];
        if (thread->blocked_ns)
            weigh(looks, root_of(looks, thread), WAIT_BLOCKED, thread->blocked_ns, thread->waits, 0,
                  0);
        if (thread->runnable_ns)
            weigh(looks, root_of(looks, thread), WAIT_RUNNABLE, thread->runnable_ns, 0, 0, 0);
        thread->blocked_ns = thread->runnable_ns = thread->waits = 0;
    }
    return off;
}
